import * as z from 'zod'

const bytes = z.number().int()

/** What a user or a project has stored. */
export const storageUseSchema = z.object({
  used_bytes: bytes,
  quota_bytes: bytes.nullable().describe('null: no quota'),
  by_kind: z
    .object({
      artifacts: bytes,
      results: bytes,
      sources: bytes,
      archives: bytes,
      checkpoints: bytes,
      records: bytes.describe('configs, notes, metrics, lists of files, and the audit events of the user'),
    })
    .describe(
      'bytes of each kind. A job and the checkpoints of a run count to its user; directories, and runs of a whole project, count to the owner of the project',
    ),
})

/** One thing that can be deleted: the files of a job, an uploaded directory, or the checkpoints of a run. */
export const storedItemSchema = z.object({
  kind: z.enum(['job', 'archive', 'checkpoints']),
  id: z.uuid().describe('of the job or the directory; for checkpoints, of the run'),
  name: z.string().nullable().describe('of the job or the run; for a directory, one of its snapshots'),
  project: z.string().describe('the id of its project, as in /api/projects/ID'),
  project_id: z.string(),
  bytes,
  created_at: z.string().describe('RFC 3339, UTC'),
  in_use: z.boolean().describe('a job that has not ended needs it, so that it cannot be deleted now'),
  deleting: z.boolean().describe('it will be deleted within minutes'),
})

/** Query of `GET /api/storage`. */
export const storedItemsQuerySchema = z.object({
  user_id: z.string().optional().describe("another user's files: admins only"),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** `GET /api/storage`. */
export const storageSchema = z.object({
  storage: storageUseSchema,
  items: z.array(storedItemSchema).describe('the largest first'),
})

/** `GET /api/storage/disk`. */
export const diskSchema = z.object({
  free_bytes: bytes.nullable().describe('null: the disk cannot be read'),
  min_free_bytes: bytes.describe('GPUQ_MIN_FREE_GIB'),
  low: z.boolean().describe('gpuq accepts no jobs and uploads, and results wait in the database'),
})

export type StorageUse = z.infer<typeof storageUseSchema>
export type StoredItem = z.infer<typeof storedItemSchema>
export type Storage = z.infer<typeof storageSchema>
export type Disk = z.infer<typeof diskSchema>
