import pg from 'pg'
import type { Actor } from '../../access/actor'
import { findEnvironment } from '../../access/environments'
import { effectiveLimits } from '../../access/limits'
import { findProject, type Submitter } from '../../access/projects/submission-project'
import { reachOf } from '../../access/restriction'
import { readRoleLimits } from '../../access/role-limits'
import { Batches } from '../../async/batches'
import { once } from '../../async/once'
import { GpuqError } from '../../contract/errors'
import { sendTogether, type Transaction, transaction } from '../../database/transaction'
import { readRegisteredNodes } from '../config/registered-nodes'
import { checkJob, requireAllowance } from './check-job'
import { insertJobs, type JobRow, type Submission } from './insert-job'
import { type JobOwner, ownerFor } from './job-owner'
import { lockQueue, requireQueueCapacity } from './queue-capacity'
import { isLimited } from './submission-limits'

interface Given {
  actor: Actor
  submission: Submission
}

/** The id of the new job. Null: the submission must be decided alone. */
type Outcome = PromiseSettledResult<string | null>

const maxJobs = 64
/** Larger programs would make the transaction, and so everybody's wait, long. */
const maxCodeBytes = 64 * 1024

const batches = new Batches(submitBatch, maxJobs)

/** Whether nothing but its project, its limits and the queue decides about a submission. */
export function isSimple({ code, config, idempotencyKey }: Submission): boolean {
  const { archive, bucket, depends_on, mounts, parent, run_name } = config
  const names = [archive, bucket, parent, run_name, ...depends_on, ...Object.keys(mounts)]
  const needsMore = names.some((name) => name !== undefined)
  return idempotencyKey === null && !needsMore && code.length <= maxCodeBytes
}

/**
 * Accepts a submission that is simple, in one transaction with those that arrive meanwhile. Half of the work of a
 * submission, and the flush of the log to the disk, are per transaction. The job is durable once this resolves. A submission
 * that is refused changes nothing for the others.
 * @returns its id, or null if the user's other jobs matter, or its project is new: then it must be decided alone.
 * @throws as `accept`.
 */
export function submitTogether(given: Given): Promise<string | null> {
  return batches.add(given)
}

async function submitBatch(given: readonly Given[]): Promise<readonly Outcome[]> {
  try {
    return await transaction((tx) => decideBatch(tx, given))
  } catch (error) {
    // The database refused a statement and has undone everything. It says nothing about which job is the reason.
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR')
      return given.map(() => accepted(null))
    throw error
  }
}

async function decideBatch(tx: Transaction, given: readonly Given[]): Promise<readonly Outcome[]> {
  const read = readOnce(tx)
  const decided = await settle(given.map((one) => decideOne(tx, read, one)))
  const jobs = decided.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []))
  const { admitted, error } = await admit(tx, jobs)
  if (admitted.size > 0) await insertJobs(tx, [...admitted])
  return decided.map((one): Outcome => {
    if (one.status === 'rejected') return one
    if (one.value === null) return accepted(null)
    return admitted.has(one.value) ? accepted(one.value.id) : { status: 'rejected', reason: error }
  })
}

const accepted = (jobId: string | null): Outcome => ({ status: 'fulfilled', value: jobId })

/** Waits for all. Throws an error that is not the refusal of one submission. */
async function settle<Value>(
  promises: readonly Promise<Value>[],
): Promise<readonly PromiseSettledResult<Value>[]> {
  const settled = await Promise.allSettled(promises)
  for (const one of settled) {
    if (one.status === 'rejected' && !(one.reason instanceof GpuqError)) throw one.reason
  }
  return settled
}

/** What the batch reads. Submissions of one user need the same rows, which are read once. */
interface Read {
  environment(name: string | null): ReturnType<typeof findEnvironment>
  project(submitter: Submitter, slug: string): ReturnType<typeof findProject>
  role(role: Actor['role']): ReturnType<typeof readRoleLimits>
  allowance(owner: JobOwner): Promise<void>
  nodes(): ReturnType<typeof readRegisteredNodes>
}

function readOnce(tx: Transaction): Read {
  return {
    environment: once((name: string | null) => findEnvironment(name, tx)),
    project: once(
      (submitter: Submitter, slug: string) => findProject(tx, submitter, slug),
      ({ userId, restriction }, slug) => [userId, reachOf(restriction), slug],
    ),
    role: once((role: Actor['role']) => readRoleLimits(tx, role)),
    allowance: once(
      (owner: JobOwner) => requireAllowance(tx, owner),
      ({ userId, projectId, tokenId }) => [userId, projectId, tokenId],
    ),
    nodes: once(() => readRegisteredNodes(tx)),
  }
}

/** The job of a submission. Null: it must be decided alone. @throws 422 for an unknown environment, and as {@link checkJob}. */
async function decideOne(tx: Transaction, read: Read, { actor, submission }: Given): Promise<JobRow | null> {
  const { config } = submission
  const [environment, project, roleLimits] = await sendTogether([
    read.environment(config.environment ?? null),
    read.project(actor, config.project_id),
    read.role(actor.role),
  ])
  if (!project?.announced) return null
  const limits = effectiveLimits(actor, project.limits, roleLimits)
  if (isLimited(limits)) return null
  const owner = ownerFor(actor, { projectId: project.id })
  return checkJob(tx, { owner, limits: limits.job, environment, submission }, read)
}

/** The jobs for which the queue has places, in the order of their arrival, and the error for the others. */
async function admit(
  tx: Transaction,
  jobs: readonly JobRow[],
): Promise<{ admitted: ReadonlySet<JobRow>; error?: unknown }> {
  if (jobs.length === 0) return { admitted: new Set() }
  if (jobs.length > 1) {
    const { places, error } = await lockQueue(tx)
    return { admitted: new Set(jobs.slice(0, places)), error }
  }
  await requireQueueCapacity(tx)
  return { admitted: new Set(jobs) }
}
