import * as z from 'zod'

/** Maximum number of files in one response. */
export const maxListedFiles = 1000

/** The last stored version of a file that a job wrote in its working directory. */
export const workingFileSchema = z.object({
  file_id: z.uuid().describe('id of this version; a later version has another one'),
  rank: z.int().describe('task that wrote the file'),
  path: z
    .string()
    .describe(
      'relative to the working directory; the job chose it, so it can be unsafe to display or to save under',
    ),
  bytes: z.int(),
  sha256: z.string(),
  executable: z.boolean(),
  version: z.int(),
})

/** `GET /api/jobs/ID/working-files`. */
export const workingFilesSchema = z.object({
  working_directory: z
    .string()
    .nullable()
    .describe('the path at which the job finds its directory; null: its files do not return'),
  files: z
    .array(workingFileSchema)
    .describe(
      `new and changed files after "after", in the order of their versions; at most ${maxListedFiles}`,
    ),
  next: z.int().describe('value of "after" for the next request'),
  more: z.boolean().describe('true: request the next files at once'),
  ended: z.boolean().describe('true: the job has ended, and no more files follow these'),
})

export const workingFilesQuerySchema = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('"next" of the previous response'),
})

export type WorkingFile = z.infer<typeof workingFileSchema>
export type WorkingFiles = z.infer<typeof workingFilesSchema>
