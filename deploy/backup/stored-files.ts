import type pg from 'pg'
import { blobKey } from '@/lib/archives/blob-key'
import { checkpointKey } from '@/lib/checkpoints/checkpoint-files'
import { artifactKey, resultKey } from '@/lib/results/name'

/** A file that a row of the database describes. */
export interface DescribedFile {
  key: string
  bytes: number
  sha256: string
}

type Client = Pick<pg.Client, 'query'>

/** Every stored file of the snapshot that the client's transaction sees. */
export async function listDescribedFiles(client: Client): Promise<DescribedFile[]> {
  const results = await client.query<{ name: string; bytes: string; sha256: string }>(
    `SELECT f.name, f.bytes::text AS bytes, f.sha256 FROM result_files f WHERE f.stored_at IS NOT NULL ORDER BY f.name`,
  )
  const artifacts = await client.query<{
    id: string
    jobId: string
    attempt: number
    rank: number
    bytes: string
    sha256: string
  }>(
    `SELECT id, job_id AS "jobId", attempt, rank, bytes::text AS bytes, sha256 FROM (
       SELECT id, job_id, attempt, rank, bytes, sha256 FROM artifacts
       UNION ALL SELECT id, job_id, attempt, rank, bytes, sha256 FROM working_files) files ORDER BY job_id, id`,
  )
  const blobs = await client.query<{ projectId: string; hash: string; bytes: string }>(
    `SELECT DISTINCT project_id AS "projectId", encode(hash, 'hex') AS hash, bytes::text AS bytes FROM archive_blobs ORDER BY 1, 2`,
  )
  const checkpoints = await client.query<{
    projectId: string
    directory: string
    object: string
    bytes: string
    sha256: string
  }>(
    `SELECT r.project_id AS "projectId", r.directory, c.object, c.bytes::text AS bytes, c.sha256
       FROM checkpoint_files c JOIN runs r ON r.id = c.run_id ORDER BY 1, 2, 3`,
  )
  return [
    ...results.rows.map((row) => withKey(resultKey(row.name), row)),
    ...artifacts.rows.map((row) => withKey(artifactKey(row, row.id), row)),
    ...blobs.rows.map((row) =>
      withKey(blobKey(row.projectId, row.hash), { bytes: row.bytes, sha256: row.hash }),
    ),
    ...checkpoints.rows.map((row) => withKey(checkpointKey(row, row.object), row)),
  ]
}

function withKey(key: string, { bytes, sha256 }: { bytes: string; sha256: string }): DescribedFile {
  return { key, bytes: Number(bytes), sha256 }
}
