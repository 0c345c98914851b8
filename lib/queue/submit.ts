import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import { findEnvironment } from '../access/environments'
import { findOrCreateUser } from '../access/users/submission-user'
import type { JobConfig } from '../contract/config/config'
import { readSpec } from '../contract/config/stored-spec'
import type { QueueSubmit } from '../contract/queue'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { env } from '../env'
import { requireCapabilities } from '../jobs/config/capabilities'
import { withModelRequirements } from '../jobs/submission/model-requirements'
import { decide, type Submission, type SubmitOptions, type Submitted } from '../jobs/submission/submit'
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
  const submitted = await transaction(async (tx) => {
    const userId = await findOrCreateUser(tx, actor, input.user)
    return decide(tx, {
      actor,
      userId,
      environment,
      submission,
      deduplicate,
      requireCapacity: requireQueueCapacity,
    })
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
