import { randomBytes } from 'node:crypto'
import { inParallel } from '@/lib/async/pool'
import { type Condition, conditions, splitDependencies } from '@/lib/contract/config/depends-on'
import { requestOf } from '@/lib/jobs/config/resource-request'
import { logger } from '@/lib/logger'
import {
  type SlurmClient,
  type SlurmNodeState,
  type SlurmPartition,
  SlurmRefusal,
  type SlurmSubmission,
} from '@/lib/slurm/client/slurm-client'
import { hashSecret } from '@/lib/slurm/jobs/check-in'
import {
  insertSlurmJob,
  readUnsubmitted,
  recordRefusal,
  recordSlurmId,
  type UnsubmittedJob,
} from '@/lib/slurm/jobs/submissions'
import { findPartition } from '@/lib/slurm/size/partition'
import { niceOf, type SlurmSize, slurmSizeOf, UnsuitableForSlurm } from '@/lib/slurm/size/size'
import { batchScript } from './batch-script'

/** The jobs of one pass. A poll follows, so that a long queue does not delay what Slurm reports. */
export const jobsPerPass = 100
/** Each waits for the controller, and most of that for the start of a program. */
const concurrentSubmissions = 4

interface SubmissionSettings {
  client: SlurmClient
  cluster: { nodes: readonly SlurmNodeState[]; partitions: readonly SlurmPartition[] }
  shardsPerGpu: number
  /** The directory of the port files. */
  directory: string
  /** Whether the Slurm job belongs to the Unix account with the name of the job's owner. */
  asOwner: boolean
}

/** The comment that finds a job again after a lost answer. */
export const commentOf = (rowId: string) => `gpuq:${rowId}`

/** The row's id; null: not a job of gpuq. */
export function rowOfComment(comment: string): string | null {
  return /^gpuq:([0-9a-f-]{36})$/.exec(comment)?.[1] ?? null
}

/**
 * Submits waiting jobs to Slurm, at most {@link jobsPerPass}. Returns how many there were.
 * @throws if Slurm does not answer. What became of the submissions is found out by the next poll.
 */
export async function submitWaiting(settings: SubmissionSettings, signal: AbortSignal): Promise<number> {
  const jobs = await readUnsubmitted(jobsPerPass)
  await inParallel(jobs, concurrentSubmissions, (job) => submitJob(settings, job), signal)
  return jobs.length
}

async function submitJob(settings: SubmissionSettings, job: UnsubmittedJob): Promise<void> {
  const size = await sizeOrRefuse(settings, job)
  if (!size) return
  const secret = randomBytes(32).toString('base64url')
  const nice = niceOf(job.priority)
  const row = { jobId: job.id, secretHash: hashSecret(secret), nodes: size.nodes, nice }
  const rowId = await insertSlurmJob(row)
  if (rowId === null) return
  const { directory, asOwner } = settings
  const submission: SlurmSubmission = {
    ...size,
    ...job.target,
    name: `gpuq-${job.id}`,
    comment: commentOf(rowId),
    script: batchScript({ rowId, secret, directory, nodes: size.nodes }),
    nice,
    dependency: dependencyOf(job),
    requeue: true,
    unixUser: asOwner ? job.owner : null,
  }
  try {
    await recordSlurmId(rowId, await settings.client.submit(submission))
  } catch (error) {
    if (!(error instanceof SlurmRefusal)) throw error
    await recordRefusal(job.id, rowId, error.message)
    logger.info({ job: job.id }, `Slurm refused a job: ${error.message}`)
  }
}

/** The conditions of dependencies in the words of Slurm. */
const slurmWords = { ok: 'afterok', any: 'afterany', failed: 'afternotok' } as const satisfies Record<
  Condition,
  string
>

/**
 * The Slurm jobs that must end first. Only at the first attempt: later Slurm may have forgotten them. gpuq follows the
 * dependencies on its own jobs itself, because one job can be several Slurm jobs.
 */
export function dependencyOf({ attempt, spec }: Pick<UnsubmittedJob, 'attempt' | 'spec'>): string | null {
  const { slurmJobs } = splitDependencies(spec.depends_on)
  if (attempt > 0 || slurmJobs.length === 0) return null
  return conditions
    .map((condition) => ({ condition, jobs: slurmJobs.filter(({ when }) => when === condition) }))
    .filter(({ jobs }) => jobs.length > 0)
    .map(({ condition, jobs }) => [slurmWords[condition], ...jobs.map(({ id }) => id)].join(':'))
    .join(',')
}

async function sizeOrRefuse(
  { cluster, shardsPerGpu }: SubmissionSettings,
  job: UnsubmittedJob,
): Promise<SlurmSize | null> {
  try {
    const { timeLimitS, expectedTimeS } = job
    const { nodes } = cluster
    const partition = findPartition(job.target.partition, cluster)
    const facts = { nodes, partition, shardsPerGpu, timeLimitS, expectedTimeS }
    return slurmSizeOf(requestOf(job.spec, job.id), facts)
  } catch (error) {
    if (!(error instanceof UnsuitableForSlurm)) throw error
    await recordRefusal(job.id, null, error.message)
    return null
  }
}
