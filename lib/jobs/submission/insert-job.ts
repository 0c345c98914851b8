import { uuidv7 } from 'uuidv7'
import type { JobEnvironment } from '../../access/environments'
import { requireWorkspaceUser } from '../../access/users/workspace-user'
import { configForRecord, type JobConfig, timeLimitSeconds } from '../../contract/config/config'
import { invalidField } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'
import { projectBucketPrefix } from '../../storage/project-bucket'
import { contentHash } from './content-hash'
import { findUnfinished, insertDependencies } from './dependencies'
import type { JobOwner } from './job-owner'
import { resolveRun } from './resolve-run'
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

/** A job that can be inserted. */
export interface JobRow {
  id: string
  owner: JobOwner
  environmentId: string
  submission: Submission
  /** What is stored of its config. */
  spec: string
  timeLimitS: number
  contentHash: Buffer
  archiveId: string | null
  namedRunId: string | null
  workspace: string | null
  mounts: readonly ResolvedMount[]
  /** The jobs that must complete first. */
  unfinished: readonly string[]
}

/** Finds what a job needs. @throws 422 for a directory, a snapshot or a job that it cannot use. */
export async function prepareJob(
  tx: Transaction,
  owner: JobOwner,
  environment: JobEnvironment,
  submission: Submission,
  ceilingS: number,
): Promise<JobRow> {
  const { projectId } = owner
  const { code, config } = submission
  const workspace = await requireWorkspaceUser(tx, owner)
  const { directory, entrypoint } = await findArchive(tx, owner, config, code.length > 0)
  const mounts = await resolveMounts(tx, projectId, config)
  await requireBucket(tx, projectId, config.bucket)
  requireApart(mounts, workspace, config.working_directory)
  // With the versions of snapshots, so that later ones do not change the job.
  const found = { entrypoint, archive: directory?.reference, mounts: referencesOf(mounts) }
  return {
    id: uuidv7(),
    owner,
    environmentId: environment.id,
    submission,
    spec: JSON.stringify(configForRecord({ ...config, ...found })),
    timeLimitS: Math.ceil(timeLimitSeconds(config, ceilingS)),
    contentHash: hashOf(environment, submission, { archive: directory?.hash, mounts }),
    archiveId: directory?.id ?? null,
    namedRunId: config.run_name === undefined ? null : await resolveRun(tx, owner, config.run_name),
    workspace,
    mounts,
    unfinished: await findUnfinished(tx, owner, config),
  }
}

/** Inserts jobs with what belongs to them, by one statement. */
export async function insertJobs(tx: Transaction, jobs: readonly JobRow[]): Promise<void> {
  const column = <Value>(read: (job: JobRow) => Value) => jobs.map(read)
  const config = (key: 'competition_id' | 'name' | 'priority' | 'max_retries' | 'command') =>
    column(({ submission }) => submission.config[key])
  await tx.query({
    name: 'insert-jobs',
    text: `WITH given AS (
             SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::jsonb[],
                                  $8::bytea[], $9::int[], $10::int[], $11::float8[], $12::int[], $13::text[], $14::text[],
                                  $15::bytea[], $16::uuid[], $17::uuid[], $18::text[], $19::jsonb[], $20::text[],
                                  $21::uuid[], $22::text[], $23::bytea[])
               AS j (id, user_id, project_id, environment_id, competition_id, name, spec, code, priority, max_retries,
                     expected_time_s, time_limit_s, command, run_id, content_hash, archive_id, named_run_id, workspace, tags,
                     bucket_prefix, caller_id, key, body_hash)
           ), job AS (
             INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, name, spec, code, priority,
                               max_retries, expected_time_s, time_limit_s, command, run_id, content_hash, archive_id,
                               named_run_id, workspace, tags)
             SELECT id, user_id, project_id, environment_id, competition_id, name, spec, code, priority, max_retries,
                    expected_time_s, time_limit_s, command, run_id, content_hash, archive_id, named_run_id, workspace,
                    ARRAY(SELECT jsonb_array_elements_text(tags))
               FROM given
           ), upload AS (
             INSERT INTO job_uploads (job_id, bucket_id, url)
             SELECT g.id, b.id, 's3://' || b.bucket || '/' || g.bucket_prefix
               FROM given g JOIN projects p ON p.id = g.project_id JOIN buckets b ON b.id = p.bucket_id
           )
           INSERT INTO idempotency_keys (user_id, key, body_hash, job_id)
           SELECT caller_id, key, body_hash, id FROM given WHERE key IS NOT NULL`,
    values: [
      column(({ id }) => id),
      column(({ owner }) => owner.userId),
      column(({ owner }) => owner.projectId),
      column(({ environmentId }) => environmentId),
      config('competition_id'),
      config('name'),
      column(({ spec }) => spec),
      column(({ submission }) => submission.code),
      config('priority'),
      config('max_retries'),
      column(({ submission }) => submission.config.expected_time),
      column(({ timeLimitS }) => timeLimitS),
      config('command'),
      column(({ submission }) => submission.runId),
      column(({ contentHash }) => contentHash),
      column(({ archiveId }) => archiveId),
      column(({ namedRunId }) => namedRunId),
      column(({ workspace }) => workspace),
      column(({ submission }) => JSON.stringify([...new Set(submission.config.tags)])),
      column(({ id }) => projectBucketPrefix(id)),
      column(({ owner }) => owner.callerId),
      column(({ submission }) => submission.idempotencyKey),
      column(({ submission }) => submission.bodyHash),
    ],
  })
  for (const { id, mounts, unfinished } of jobs) {
    await insertMounts(tx, id, mounts)
    await insertDependencies(tx, id, unfinished)
  }
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
