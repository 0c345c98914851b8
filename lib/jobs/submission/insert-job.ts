import { uuidv7 } from 'uuidv7'
import type { JobEnvironment } from '../../access/environments'
import { requireWorkspaceUser } from '../../access/users/workspace-user'
import { configForRecord, type JobConfig, timeLimitSeconds } from '../../contract/config/config'
import { invalidField } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'
import { projectBucketPrefix } from '../../storage/project-bucket'
import { contentHash } from './content-hash'
import { findArchive } from './submission-archive'
import {
  insertMounts,
  type ResolvedMount,
  referencesOf,
  requireApart,
  resolveMounts,
} from './submission-mounts'

export interface Submission {
  /** solution.py; empty if the job runs a command or a file of its directory. */
  code: Buffer
  /** `run_id` of the queue API. */
  runId: string | null
  config: JobConfig
  /** SHA-256 of the request. */
  bodyHash: Buffer
  /** Repeated submissions with the same key are one job. */
  idempotencyKey: string | null
  /** The request gives no time: the job may run as long as its limits permit. */
  timeAssumed?: boolean
}

/** The owner of a job, and the caller who submits it. An idempotency key belongs to the caller. */
export interface JobOwner {
  callerId: string
  userId: string
  projectId: string
}

/** What a job reads, as it was found in the database. */
interface JobInput {
  /** The hash of its directory. */
  archive: string | undefined
  mounts: readonly ResolvedMount[]
}

/**
 * Identifies jobs that run the same program with the same input. Two names of a directory are the same content, and two
 * versions of a snapshot are not.
 */
export function hashOf(
  { name }: JobEnvironment,
  { code, config }: Submission,
  { archive, mounts }: JobInput,
): Buffer {
  return contentHash({ ...config, code, environment: name, archive, mounts })
}

/** Inserts a job with what belongs to it. @throws 422 for a directory or a snapshot that it cannot use. */
export async function insertJob(
  tx: Transaction,
  { callerId, userId, projectId }: JobOwner,
  environment: JobEnvironment,
  submission: Submission,
  ceilingS: number,
): Promise<string> {
  const { code, runId, config, bodyHash, idempotencyKey } = submission
  const workspace = await requireWorkspaceUser(tx, { userId, projectId })
  const jobId = uuidv7()
  const { directory, entrypoint } = await findArchive(tx, projectId, config, code.length > 0)
  const mounts = await resolveMounts(tx, projectId, config)
  await requireBucket(tx, projectId, config.bucket)
  requireApart(mounts, workspace, config.working_directory)
  // With the versions of snapshots, so that later ones do not change the job.
  const found = { entrypoint, archive: directory?.reference, mounts: referencesOf(mounts) }
  await tx.query({
    name: 'insert-job',
    text: `WITH job AS (
             INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, name, spec, code, priority,
                               max_retries, expected_time_s, time_limit_s, command, run_id, content_hash,
                               archive_id, run_name, workspace, tags)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $16, $17, $18, $19, $20, $21, $23)
           ), upload AS (
             INSERT INTO job_uploads (job_id, bucket_id, url)
             SELECT $1, b.id, 's3://' || b.bucket || '/' || $22
               FROM projects p JOIN buckets b ON b.id = p.bucket_id WHERE p.id = $3
           )
           INSERT INTO idempotency_keys (user_id, key, body_hash, job_id)
           SELECT $15, $13::text, $14::bytea, $1 WHERE $13::text IS NOT NULL`,
    values: [
      jobId,
      userId,
      projectId,
      environment.id,
      config.competition_id,
      config.name,
      JSON.stringify(configForRecord({ ...config, ...found })),
      code,
      config.priority,
      config.max_retries,
      config.expected_time,
      Math.ceil(timeLimitSeconds(config, ceilingS)),
      idempotencyKey,
      bodyHash,
      callerId,
      config.command,
      runId,
      hashOf(environment, submission, { archive: directory?.hash, mounts }),
      directory?.id,
      config.run_name,
      workspace,
      projectBucketPrefix(jobId),
      [...new Set(config.tags)],
    ],
  })
  await insertMounts(tx, jobId, mounts)
  return jobId
}

/** @throws 422 if the project has no bucket of that name. The name on the S3 server counts too. */
async function requireBucket(tx: Transaction, projectId: string, name: string | undefined): Promise<void> {
  if (name === undefined) return
  const found = await findRow<{ name: string; bucket: string }>(
    tx,
    'SELECT b.name, b.bucket FROM projects p JOIN buckets b ON b.id = p.bucket_id WHERE p.id = $1',
    [projectId],
  )
  if (found?.name === name || found?.bucket === name) return
  const message = found
    ? `the bucket of the project is "${found.name}": use this name, or ask an admin to assign "${name}" to the project`
    : `the project has no bucket: ask an admin to register "${name}" and to assign it to the project, or remove this`
  throw invalidField('bucket', message)
}
