import * as z from 'zod'

const countsSchema = z.object({ files: z.int(), bytes: z.int() })

export const snapshotChangeSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  bytes_before: z.int().nullable().describe('null: added'),
  bytes_after: z.int().nullable().describe('null: removed'),
})

/** What differs between two directories. */
export const snapshotChangesSchema = z.object({
  added: countsSchema,
  removed: countsSchema,
  changed: countsSchema.describe('with the size of the new content'),
  unchanged: countsSchema,
  files: z.array(snapshotChangeSchema).describe('files that differ, by path'),
  truncated: z.boolean().describe('true: there are more files than the limit'),
})

export type SnapshotChange = z.infer<typeof snapshotChangeSchema>
export type SnapshotChanges = z.infer<typeof snapshotChangesSchema>
