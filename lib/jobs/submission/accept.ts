import type { Actor } from '../../access/actor'
import { findEnvironment } from '../../access/environments'
import { effectiveLimits } from '../../access/limits'
import { findProject } from '../../access/projects/submission-project'
import { readRoleLimits } from '../../access/role-limits'
import { wakeLeader } from '../../database/notify'
import { sendTogether, transaction } from '../../database/transaction'
import { traceStep } from '../../logger'
import { withProgram } from '../state/submit'
import { checkRequest, type JobRequest } from './check-request'
import { addJob, decide, type SubmitOptions, type Submitted, throwConflict } from './decide'
import type { Submission } from './insert-job'
import { ownerFor } from './job-owner'
import { isLimited } from './submission-limits'
import { isSimple, submitTogether } from './submit-together'
import { storeDirectory } from './uploaded-directory'

/**
 * Accepts a job: the only way in for uploads, the queue API and tools for agents, so that all of them refuse the same faults in the same order
 * and words. It is durable once this resolves. A dry run (`tryJob`) takes the same steps up to the insertion.
 *
 * One transaction under a lock on the user's row decides limits, idempotency and a new project. If there is nothing to decide, submissions of
 * a user do not wait for each other.
 * @throws 429 over a limit; 403 for another user and over the storage quota; 507 on a full disk; 422 for a config above a limit, a job that can
 * never start, an unknown environment, a missing archive or snapshot, or a key that was used for another body; 409 for the run name of an active
 * job, and for a name in use if it must be unique.
 */
export async function accept(
  actor: Actor,
  request: JobRequest,
  options: SubmitOptions = {},
): Promise<Submitted & { notSent?: string | undefined }> {
  const receivedAt = performance.now()
  const { user, directory } = request
  const checked = await checkRequest(actor, request)
  const { submission, notSent } = await storeDirectory(actor, checked, directory)
  const submitted = await submit(actor, { submission, user }, options).catch((error: unknown) =>
    throwConflict(actor, submission, error),
  )
  wakeLeader()
  traceStep('received', submitted.jobId, receivedAt)
  traceStep('durable', submitted.jobId)
  return { ...submitted, notSent }
}

async function submit(
  actor: Actor,
  { submission, user }: { submission: Submission; user: string | undefined },
  options: SubmitOptions,
): Promise<Submitted> {
  const { config } = submission
  // The other jobs of the owner decide.
  const dependsOnOthers = Boolean(options.deduplicate || options.uniqueName) || user !== undefined
  if (!dependsOnOthers && isSimple(submission)) {
    const jobId = await submitTogether({ actor, submission })
    if (jobId !== null) return { jobId, repeated: false, deduplicated: false, headers: {} }
  }
  return withProgram(() =>
    transaction(async (tx) => {
      // Read before the locks.
      const [environment, known, roleLimits] = await sendTogether([
        findEnvironment(config.environment ?? null, tx),
        findProject(tx, actor, config.project_id),
        readRoleLimits(tx, actor.role),
      ])
      const limits = known?.announced && effectiveLimits(actor, known.limits, roleLimits)
      if (
        !limits ||
        isLimited(limits) ||
        dependsOnOthers ||
        submission.idempotencyKey !== null ||
        config.depends_on.length > 0
      )
        return decide(tx, { actor, user, environment, submission, ...options })
      const owner = ownerFor(actor, { projectId: known.id })
      return addJob(tx, owner, limits.job, { environment, submission })
    }),
  )
}
