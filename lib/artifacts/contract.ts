import * as z from 'zod'
import { filesDeletion } from '../contract/job-files'

/** One file that a job wrote to /results. */
export const artifactSchema = z.object({
  artifact_id: z.uuid(),
  rank: z.int().describe('task that wrote the file'),
  path: z
    .string()
    .describe('relative to /results; the job chose it, so it can be unsafe to display or to save under'),
  bytes: z.int(),
  sha256: z.string(),
  stored_at: z.iso.datetime(),
})

/** `GET /api/jobs/ID/artifacts`. */
export const artifactListSchema = z.object({
  artifacts: z.array(artifactSchema).describe('files of the last attempt, sorted by rank and path'),
  ...filesDeletion,
})

/** `GET /api/jobs/ID/artifacts/ARTIFACT_ID/preview`. */
export const artifactPreviewSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), truncated: z.boolean() }),
  z.object({ kind: z.literal('image') }).describe('download it with ?as=image'),
  z.object({ kind: z.literal('none'), why: z.string() }),
])

export const artifactQuerySchema = z.object({
  as: z
    .enum(['file', 'image'])
    .default('file')
    .describe('image: PNG, JPEG, GIF, WebP or AVIF, to show on a page'),
})

export type Artifact = z.infer<typeof artifactSchema>
export type ArtifactList = z.infer<typeof artifactListSchema>
