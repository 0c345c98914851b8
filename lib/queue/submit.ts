import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import { findEnvironment } from '../access/environments'
import { effectiveLimits } from '../access/limits'
import { findOrCreateProject } from '../access/projects/submission-project'
import { findOrCreateUser } from '../access/users/submission-user'
import type { JobConfig } from '../contract/config/config'
import { readSpec } from '../contract/config/stored-spec'
import type { QueueSubmit } from '../contract/queue'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { env } from '../env'
import { requireCapabilities } from '../jobs/config/capabilities'
import { withModelRequirements } from '../jobs/submission/model-requirements'
import { requireWithinLimits } from '../jobs/submission/submission-limits'
import {
  findEarlier,
  insertJob,
  lockUsers,
  newJob,
  type Submission,
  type SubmitOptions,
  type Submitted,
} from '../jobs/submission/submit'
import { requireQueueCapacity } from './size'

/** What a forecast goes by where nobody said how long the job takes. */
const assumedDurationS = 3600

/**
 * Accepts a job that is a command. Everything is decided in one transaction: whose job it is, the limits, and last, under
 * everybody's lock, the queue's size.
 * @throws 403 when a researcher names another user, 422 for an unknown environment, 429 over a limit.
 */
export async function submitToQueue(
  actor: Actor,
  input: QueueSubmit,
  idempotencyKey: string | null,
  { deduplicate = false }: SubmitOptions = {},
): Promise<Submitted> {
  const config = await withModelRequirements(toJobConfig(input))
  requireCapabilities(config, '')
  const environment = await findEnvironment(config.environment ?? null)
  const submission = toSubmission(input, config, idempotencyKey)
  const submitted = await transaction(async (tx): Promise<Submitted> => {
    const userId = await findOrCreateUser(tx, actor, input.user)
    const project = await findOrCreateProject(tx, userId, config.project_id)
    await lockUsers(tx, [actor.userId, userId])
    const owner = { callerId: actor.userId, userId }
    const earlier = await findEarlier(tx, owner, environment, submission, deduplicate)
    if (earlier) return earlier
    const headers = await requireWithinLimits(tx, userId, effectiveLimits(actor, project.limits))
    await requireQueueCapacity(tx)
    return newJob(await insertJob(tx, { ...owner, projectId: project.id }, environment, submission), headers)
  })
  wakeLeader()
  return submitted
}

function toSubmission(input: QueueSubmit, config: JobConfig, idempotencyKey: string | null): Submission {
  return {
    code: Buffer.alloc(0),
    runId: input.run_id ?? null,
    config,
    bodyHash: createHash('sha256')
      .update(`queue ${JSON.stringify(input)}`)
      .digest(),
    idempotencyKey,
  }
}

/** The job as a config would ask for it. Without an estimate, its time limit is the longest that the admin allows. */
function toJobConfig({
  run_id,
  user,
  estimated_duration_seconds: estimate,
  ...given
}: QueueSubmit): JobConfig {
  return {
    ...readSpec(given),
    competition_id: 'queue',
    project_id: given.project_id,
    command: given.command,
    name: given.name ?? run_id,
    expected_time: estimate ?? assumedDurationS,
    max_time: given.max_time ?? (estimate === undefined ? env().GPUQ_MAX_TIME_S : undefined),
    gpusChosen: given.gpu_count !== undefined || given.gpu_fraction !== undefined,
  }
}
