import * as z from 'zod'
import { idSchema } from '../jobs'
import { entriesSchema } from './manifest-schema'

/** `POST /api/archives`: the files of a directory. */
export const archiveRequestSchema = z.strictObject({
  project_id: idSchema.describe('the project whose jobs may use it; gpuq creates it if it does not exist'),
  entries: entriesSchema.describe('files and links, with paths relative to the directory'),
})

/** The part of a directory that the caller has sent, or that a snapshot of the project has. */
export const archiveStateSchema = z.object({
  archive: z.string().describe('value of `archive` in a config'),
  missing: z.array(z.string()).describe('SHA-256 of each content to send; empty: the directory is complete'),
})

/** `GET /api/archives`. */
export const archiveLimitsSchema = z.object({
  max_bytes: z.int().describe('maximum size of a directory'),
  max_entries: z.int().describe('maximum number of files and links'),
  shared_directory: z
    .string()
    .nullable()
    .optional()
    .describe('directory that the jobs of the project share with their users; nothing below it must be sent'),
})

export const archiveLimitsQuerySchema = z.object({
  project_id: idSchema.optional().describe('the project whose shared directory is returned'),
})

/** `POST /api/archives/blobs`: the project of the contents. */
export const blobsQuerySchema = z.object({ project_id: idSchema.describe('the project of the directory') })

export const storedBlobsSchema = z.object({ stored: z.int().describe('number of contents that gpuq stored') })

export type ArchiveState = z.infer<typeof archiveStateSchema>
export type ArchiveLimits = z.infer<typeof archiveLimitsSchema>
