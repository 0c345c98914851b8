import { z } from 'zod'

/** One file that a job left in /results. */
export const artifactSchema = z.object({
  artifact_id: z.string(),
  rank: z.number().int().describe('which task of a job over several nodes wrote it'),
  path: z.string().describe('relative to /results, as the job chose it: show and save it with care'),
  bytes: z.number().int(),
  sha256: z.string(),
  stored_at: z.iso.datetime(),
})

/** `GET /api/jobs/ID/artifacts`. */
export const artifactListSchema = z.object({
  artifacts: z.array(artifactSchema).describe('of the last attempt, by rank and path'),
  deleted_after_days: z
    .number()
    .int()
    .nullable()
    .describe("null: nothing was deleted; else the project's retention, after which the files were"),
})

/** `GET /api/jobs/ID/artifacts/ARTIFACT_ID/preview`. */
export const artifactPreviewSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), truncated: z.boolean() }),
  z.object({ kind: z.literal('image') }).describe('look at it with ?as=image'),
  z.object({ kind: z.literal('none'), why: z.string() }),
])

export const artifactQuerySchema = z.object({
  as: z.enum(['file', 'image']).default('file').describe('image: a PNG or JPEG, for pages'),
})

const weekSeconds = 7 * 24 * 3600

/** `POST /api/jobs/ID/links`. */
export const createLinkSchema = z.strictObject({
  file: z
    .union([z.literal('result'), z.uuid()], { error: 'must be "result" or the id of an artifact' })
    .describe('"result", or the id of an artifact'),
  expires_in: z
    .number()
    .int()
    .min(1)
    .max(weekSeconds, 'must be at most 604800: a link lives for seven days at most')
    .default(weekSeconds)
    .describe('seconds'),
})

export const linkSchema = z.object({
  url: z.string().describe('whoever has it may download the file without signing in'),
  expires_at: z.iso.datetime(),
})

/** Query of `GET /api/download`. */
export const downloadQuerySchema = z.object({
  job: z.string(),
  file: z.string(),
  user: z.string(),
  expires: z.string(),
  signature: z.string(),
})

export type Artifact = z.infer<typeof artifactSchema>
export type ArtifactList = z.infer<typeof artifactListSchema>
export type CreateLink = z.input<typeof createLinkSchema>
