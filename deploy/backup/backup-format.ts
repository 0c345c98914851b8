import { z } from 'zod'

/**
 * A backup is a gzipped tar file. Its entries, in this order:
 *
 * - `backup.json`: what made it, and the migrations of its database
 * - `database/TABLE/NUMBER.jsonl`: rows as JSON, and `database/sequences.json`
 * - `session-secret`: the key that signs sessions, if the data directory has it
 * - `files/KEY`: results, artifacts, archives and checkpoints; or `bucket.jsonl`, a list of what is in the bucket
 * - `checkpoints/PROJECT/RUN/PATH`: the checkpoints in the data directory
 * - `manifest.json`: the numbers, and what is missing
 * - `SHA256SUMS`: a checksum of each entry before it. A backup without it is incomplete.
 */
export const entryNames = {
  head: 'backup.json',
  database: 'database/',
  sequences: 'database/sequences.json',
  secret: 'session-secret',
  files: 'files/',
  bucket: 'bucket.jsonl',
  checkpoints: 'checkpoints/',
  manifest: 'manifest.json',
  sums: 'SHA256SUMS',
} as const

/** Increased when an older gpuq can no longer read what a newer one writes. */
export const backupFormat = 1

export const headSchema = z.object({
  format: z.number().int(),
  /** The version of gpuq that wrote the backup. */
  version: z.string(),
  created_at: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** The address of the bucket that has the files; null: the files are in the backup. */
  bucket: z.string().nullable(),
})

export type BackupHead = z.infer<typeof headSchema>

const problemSchema = z.object({ path: z.string(), problem: z.string() })

export const manifestSchema = z.object({
  /** The number of rows of each table. */
  tables: z.record(z.string(), z.number().int()),
  /** Stored files, or those in the bucket. */
  files: z.object({ count: z.number().int(), bytes: z.number() }),
  /** Checkpoint files in the data directory. */
  checkpoints: z.object({ count: z.number().int(), bytes: z.number() }),
  /** Files that could not be copied as the database describes them. */
  problems: z.array(problemSchema),
})

export type BackupManifest = z.infer<typeof manifestSchema>
export type BackupProblem = z.infer<typeof problemSchema>

/** A line of `bucket.jsonl`. */
export const bucketLineSchema = z.object({ key: z.string(), bytes: z.number(), sha256: z.string() })

/** A line of SHA256SUMS, as `sha256sum` writes and checks it. */
export function sumLine(sha256: string, name: string): string {
  return `${sha256}  ${name}\n`
}
