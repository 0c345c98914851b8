import type { Readable } from 'node:stream'
import { z } from 'zod'
import { notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { findRow } from '../database/transaction'
import { filesDeleted, openFile } from '../jobs/downloads/stored-file'
import type { VisibleJob } from '../jobs/read/job-visibility'
import { artifactKey } from '../results/name'
import type { ByteRange } from '../storage/store'
import type { Artifact, ArtifactList } from './contract'

type ArtifactRow = WithDates<Artifact, 'stored_at'>

const columns = 'id AS artifact_id, rank, path, bytes, sha256, stored_at'

/** Lists the artifacts of the job's last attempt by rank and path. */
export async function listArtifacts(job: VisibleJob): Promise<ArtifactList> {
  const rows = await readArtifacts(job)
  const { files_deleted, deleted_after_days } = job
  return { artifacts: rows.map(datesToText), files_deleted, deleted_after_days }
}

/** Whether the job's last attempt left files in /results. */
export async function hasArtifacts({ id, attempt }: Pick<VisibleJob, 'id' | 'attempt'>): Promise<boolean> {
  const where = { jobId: id, attempt }
  return (await database().prisma.artifact.findFirst({ where, select: { id: true } })) !== null
}

/** Reads the artifacts of the job's last attempt, by rank and path. */
export async function readArtifacts({ id, attempt }: VisibleJob): Promise<ArtifactRow[]> {
  const { rows } = await database().pool.query<ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE job_id = $1 AND attempt = $2 ORDER BY rank, path COLLATE "C"`,
    [id, attempt],
  )
  return rows
}

/** An artifact of any attempt. */
export type FoundArtifact = ArtifactRow & { attempt: number }

/** Finds an artifact of the job. @throws 404. */
export async function findArtifact(job: VisibleJob, artifactId: string): Promise<FoundArtifact> {
  const row = z.uuid().safeParse(artifactId).success
    ? await findRow<FoundArtifact>(
        database().pool,
        `SELECT ${columns}, attempt FROM artifacts WHERE job_id = $1 AND id = $2`,
        [job.id, artifactId],
      )
    : null
  if (row) return row
  if (job.files_deleted !== null) throw filesDeleted(job)
  throw notFound('The job has no artifact with this id. GET /api/jobs/ID/artifacts lists its artifacts.')
}

/** Opens an artifact, or a part of it. */
export async function openArtifact(
  job: VisibleJob,
  row: FoundArtifact,
  range?: ByteRange,
): Promise<Readable> {
  const task = { jobId: job.id, attempt: row.attempt, rank: row.rank }
  return (await openFile(job.id, artifactKey(task, row.artifact_id), range)).stream
}
