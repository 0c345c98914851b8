import { createHash } from 'node:crypto'
import { findEnvironment } from '../../access/environments'
import { noJobLimits } from '../../contract/access/limits'
import type { JobConfig } from '../../contract/config/config'
import { describeIssue } from '../../contract/config/issues'
import { configSchema } from '../../contract/config/schema'
import { type ErrorCode, GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { checkJob } from '../../jobs/submission/check-job'
import { insertJobs } from '../../jobs/submission/insert-job'
import { lockQueue } from '../../jobs/submission/queue-capacity'

/** The account and the project of a competition, to which its jobs belong. */
export interface JobPlace {
  slug: string
  serviceUserId: string
  projectId: string
  project: string
}

/** SQL for the columns of {@link JobPlace}, of the competition `c` and its project `p`. */
export const placeColumns =
  'c.slug, c.user_id AS "serviceUserId", c.project_id AS "projectId", p.slug AS project'

/** What a job of a competition runs. */
export interface CompetitionJob {
  code: Buffer
  /** The keys of its config that the competition decides. */
  keys: {
    name: string
    max_time: number
    environment?: string | undefined
    gpu_count: number
    gpu_fraction?: number | undefined
    gpu_memory_gb?: number | undefined
    gpu_model?: string | undefined
    cpu?: number | undefined
    memory_gb?: number | undefined
    args?: readonly string[]
    command?: string
    archive?: string
  }
  /** Reserved ones, which no config may have. */
  env: Record<string, string>
  mounts: Record<string, string>
}

/** A job that cannot be made now. */
interface Refusal {
  problem: string
  /** It passes by itself, or when somebody frees space: the job is tried again. */
  isPassing: boolean
}

export type MadeJob = { jobId: string } | Refusal

/** The job is tried again after these. */
const passing: readonly ErrorCode[] = [
  'rate_limited',
  'quota_exceeded',
  'insufficient_storage',
  'unavailable',
]

/**
 * Adds a job of a competition to the queue. The limits of users do not count it. Returns why it cannot be added; then nothing has
 * changed.
 */
export async function makeJob(tx: Transaction, place: JobPlace, job: CompetitionJob): Promise<MadeJob> {
  // A refusal must not undo what the caller stores about it.
  await tx.query('SAVEPOINT make_job')
  try {
    return { jobId: await addJob(tx, place, job) }
  } catch (error) {
    if (!(error instanceof GpuqError)) throw error
    await tx.query('ROLLBACK TO SAVEPOINT make_job')
    return { problem: error.message, isPassing: passing.includes(error.code) }
  }
}

async function addJob(tx: Transaction, place: JobPlace, job: CompetitionJob): Promise<string> {
  const config = configOf(place, job)
  const owner = {
    callerId: place.serviceUserId,
    callerIsAdmin: false,
    userId: place.serviceUserId,
    projectId: place.projectId,
    restriction: null,
    tokenId: null,
  }
  const environment = await findEnvironment(config.environment ?? null, tx)
  const bodyHash = createHash('sha256').update(job.code).update(JSON.stringify(config)).digest()
  const submission = { code: job.code, runId: null, config, bodyHash, idempotencyKey: null }
  const row = await checkJob(tx, { owner, limits: noJobLimits, environment, submission })
  const { places, error } = await lockQueue(tx)
  if (places < 1) throw error
  // In a directory that all jobs of the project share, the programs of teams could find each other's files.
  await insertJobs(tx, [{ ...row, workspace: null }])
  return row.id
}

/** The config as it was accepted. A later version of gpuq may not have a value of it any more. @throws 422 */
function configOf({ slug, project }: JobPlace, { keys, env, mounts }: CompetitionJob): JobConfig {
  const given = { ...keys, competition_id: slug, project_id: project, expected_time: keys.max_time }
  const parsed = configSchema.safeParse(given, { error: describeIssue })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new GpuqError('invalid_fields', `${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { token, ...config } = parsed.data
  // The number of GPUs is that of the phase, whatever models the program names.
  return { ...config, env, mounts, gpusChosen: true }
}
