import * as z from 'zod'

/** Whether and why a job's files were deleted. */
export const filesDeletion = {
  files_deleted: z
    .enum(['on_request', 'retention'])
    .nullable()
    .describe(
      'null: nothing; on_request: the owner or an admin deleted result, artifacts and source; retention: result and artifacts',
    ),
  deleted_after_days: z
    .int()
    .min(1)
    .nullable()
    .describe('the retention in days that deleted the files; null: none did'),
}

export type FilesDeletion = z.infer<z.ZodObject<typeof filesDeletion>>

/** `GET /api/jobs/ID/files`: the directory that was uploaded for a job. */
export const jobFilesSchema = z.object({
  files: z
    .array(
      z.object({
        path: z
          .string()
          .describe('relative to /work; a user chose it, so it can be unsafe to display or to save under'),
        bytes: z.int(),
        target: z.string().nullable().describe('where a link leads; null: a file'),
      }),
    )
    .nullable()
    .describe('files and links, sorted by path; empty: the job has no directory; null: it was deleted'),
})

/** Query of `GET /api/jobs/ID/files/content`. */
export const jobFileQuerySchema = z.object({
  path: z.string().default('').describe('path of a file of the directory'),
})

/** Query of `GET /api/jobs/ID/files/changes`. */
export const compareJobFilesSchema = z.object({
  since: z.string().describe('id of the job to compare with'),
  limit: z.coerce.number().int().min(1).max(1000).default(1000).describe('maximum number of files'),
})

export type JobFiles = z.infer<typeof jobFilesSchema>
