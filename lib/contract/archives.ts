import { z } from 'zod'
import { entriesSchema } from './archive-manifest'
import { idSchema } from './jobs'

/** `POST /api/archives`: what a directory consists of. */
export const archiveRequestSchema = z.strictObject({
  project_id: idSchema.describe('the project whose jobs may use it; made for you if it does not exist'),
  entries: entriesSchema.describe('files and links, with paths relative to the directory'),
})

/** What the project has of it. */
export const archiveStateSchema = z.object({
  archive: z.string().describe('what a config names the directory by'),
  missing: z.array(z.string()).describe('SHA-256 of each content to send; none: the directory is complete'),
})

/** `GET /api/archives`. */
export const archiveLimitsSchema = z.object({
  max_bytes: z.number().int().describe('largest directory, in bytes'),
  max_entries: z.number().int().describe('most files and links in it'),
})

/** `POST /api/archives/blobs`: whose content it is. */
export const blobsQuerySchema = z.object({ project_id: idSchema.describe('the project of the directory') })

export const storedBlobsSchema = z.object({ stored: z.int().describe('contents that were received') })

export type ArchiveState = z.infer<typeof archiveStateSchema>
export type ArchiveLimits = z.infer<typeof archiveLimitsSchema>
