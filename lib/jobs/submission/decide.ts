import type { Actor } from '../../access/actor'
import type { JobEnvironment } from '../../access/environments'
import { announceProject, findOrCreateProject } from '../../access/projects/submission-project'
import { reaches } from '../../access/restriction'
import { readEffectiveLimits } from '../../access/role-limits'
import { findOrCreateUser } from '../../access/users/submission-user'
import type { JobLimits } from '../../contract/access/limits'
import { defaultProject, describeCreated } from '../../contract/access/project-kinds'
import { invalidField } from '../../contract/errors'
import {
  findRow,
  isForeignKeyViolation,
  isUniqueViolation,
  type Transaction,
} from '../../database/transaction'
import { hoursToApprove } from '../config/agent-limits'
import { findWait } from '../dependencies/find-dependencies'
import { checkJob } from './check-job'
import { findSameContent } from './deduplicate'
import { hashOf, insertJobs, type Submission } from './insert-job'
import { type JobOwner, ownerFor } from './job-owner'
import { requireUnusedName, runNameConflict } from './name-conflicts'
import { requireQueueCapacity } from './queue-capacity'
import { findDirectoryHash, noArchive } from './submission-archive'
import { lockUsers, requireWithinLimits } from './submission-limits'
import { resolveMounts } from './submission-mounts'

export interface SubmitOptions {
  /** Returns the user's active or completed job of the same content, if there is one, and queues nothing. */
  deduplicate?: boolean
  /** Refuses the name of a job of the user that has not ended. */
  uniqueName?: boolean
}

export interface Submitted {
  jobId: string
  /** True if this is the job of an earlier submission with the same key. */
  repeated: boolean
  /** True if this is an earlier job with the same content. */
  deduplicated: boolean
  /** Says that this submission, or the upload before it, created the project. */
  projectNote?: string
  /** Rate-limit headers for the answer. */
  headers: Record<string, string>
}

/** Throws what a violated rule of the database means; other errors as they are. */
export async function throwConflict(
  actor: Actor,
  { config }: Pick<Submission, 'config'>,
  error: unknown,
): Promise<never> {
  if (isUniqueViolation(error, 'jobs_one_live_run')) throw await runNameConflict(actor, config)
  if (isForeignKeyViolation(error, 'jobs_archive_id_fkey')) throw noArchive(config)
  throw error
}

/** Inserts the job if nothing refuses it, and the queue has a place. */
export async function addJob(
  tx: Transaction,
  owner: JobOwner,
  limits: JobLimits,
  { environment, submission }: Pick<Decision, 'environment' | 'submission'>,
  { headers = {}, isDependent = false }: { headers?: Record<string, string>; isDependent?: boolean } = {},
): Promise<Submitted> {
  const job = await checkJob(tx, { owner, limits, environment, submission })
  if (!isDependent) await requireQueueCapacity(tx)
  await insertJobs(tx, [job])
  return { jobId: job.id, repeated: false, deduplicated: false, headers }
}

interface Decision extends SubmitOptions {
  /** The caller. */
  actor: Actor
  /** The handle of the owner of the job; left out: the caller. */
  user?: string | undefined
  environment: JobEnvironment
  submission: Submission
}

/**
 * Inserts the job, or finds the earlier one that it repeats. Decides everything that depends on the user's other jobs.
 */
export async function decide(tx: Transaction, decision: Decision): Promise<Submitted> {
  const { actor, user, environment, submission, deduplicate = false, uniqueName = false } = decision
  const { restriction } = actor
  const userId = await findOrCreateUser(tx, actor, user)
  const project = await findOrCreateProject(tx, { userId, restriction }, submission.config.project_id)
  await lockUsers(tx, [actor.userId, userId])
  const owner = ownerFor(actor, { userId, projectId: project.id })
  const limits = await readEffectiveLimits(tx, actor, project.limits)
  const earlier = await findEarlier(tx, owner, environment, submission, deduplicate)
  if (earlier) return earlier
  if (uniqueName) await requireUnusedName(tx, owner, submission.config.name)
  // Then the job is not active: it waits for others, or for an approval.
  const isDependent =
    hoursToApprove(submission, limits.job, restriction) !== null ||
    (await findWait(tx, owner, submission.config)) !== null
  const headers = await requireWithinLimits(tx, owner, limits, isDependent)
  const counted = { headers, isDependent }
  const submitted = await addJob(tx, owner, limits.job, { environment, submission }, counted)
  const isNew = await announceProject(tx, project)
  const slug = submission.config.project_id
  // Jobs that name no project are in this one: nobody needs to hear that it exists now.
  return isNew && slug !== defaultProject ? { ...submitted, projectNote: describeCreated(slug) } : submitted
}

/** Finds the earlier job with the submission's key, or with `deduplicate` the one with its content. */
async function findEarlier(
  tx: Transaction,
  owner: JobOwner,
  environment: JobEnvironment,
  submission: Submission,
  deduplicate: boolean,
): Promise<Submitted | null> {
  const repeated = await findRepeated(tx, owner, submission)
  if (repeated) return { jobId: repeated, repeated: true, deduplicated: false, headers: {} }
  if (!deduplicate) return null
  const hash = hashOf(environment, submission, {
    archive: await findDirectoryHash(tx, owner, submission.config),
    mounts: await resolveMounts(tx, owner.projectId, submission.config),
  })
  const same = await findSameContent(tx, owner, hash, submission)
  return same === null ? null : { jobId: same, repeated: false, deduplicated: true, headers: {} }
}

/** Finds the job that the caller's key was used for. A restricted token does not get a job that it does not reach. */
async function findRepeated(
  tx: Transaction,
  { callerId, restriction }: JobOwner,
  { idempotencyKey, bodyHash }: Submission,
): Promise<string | null> {
  if (idempotencyKey === null) return null
  // A key without a job is that of a member of a group that has not entered the queue.
  const row = await findRow<{
    body_hash: Buffer
    job_id: string
    project_id: string | null
    token_id: string | null
  }>(tx, {
    name: 'find-idempotency-key',
    text: `SELECT k.body_hash, k.job_id, j.project_id, j.token_id FROM idempotency_keys k LEFT JOIN jobs j ON j.id = k.job_id
            WHERE k.user_id = $1 AND k.key = $2`,
    values: [callerId, idempotencyKey],
  })
  if (!row) return null
  if (row.body_hash.equals(bodyHash) && reaches(restriction, row)) return row.job_id
  const message = 'This Idempotency-Key was used for another submission. Use a new key for a new job.'
  throw invalidField('Idempotency-Key', message, message)
}
