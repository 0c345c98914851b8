import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import { findEnvironment } from '../access/environments'
import { effectiveLimits } from '../access/limits'
import { findOrCreateProject } from '../access/projects/submission-project'
import { findOrCreateUser } from '../access/users/submission-user'
import type { JobConfig } from '../contract/config/config'
import type { QueueSubmit } from '../contract/queue'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { env } from '../env'
import { requireCapabilities } from '../jobs/config/capabilities'
import { modelsOfCommand, withModelRequirements } from '../jobs/submission/model-requirements'
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
  const config = await withModelRequirements(toJobConfig(input), modelsOfCommand(input.command))
  requireCapabilities(config, '')
  const environment = await findEnvironment(config.environment)
  const submission = toSubmission(input, config, idempotencyKey)
  const submitted = await transaction(async (tx): Promise<Submitted> => {
    const userId = await findOrCreateUser(tx, actor, input.user)
    const project = await findOrCreateProject(tx, userId, config.projectId)
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
    command: input.command,
    runId: input.run_id ?? null,
    config,
    bodyHash: createHash('sha256')
      .update(`queue ${JSON.stringify(input)}`)
      .digest(),
    idempotencyKey,
  }
}

/** The job as a config would ask for it. Without an estimate it is not stopped before any job is. */
function toJobConfig(input: QueueSubmit): JobConfig {
  const estimate = input.estimated_duration_seconds
  return {
    competitionId: 'queue',
    projectId: input.project_id,
    userId: null,
    expectedTime: estimate ?? assumedDurationS,
    name: input.name ?? input.run_id ?? null,
    environment: input.environment ?? null,
    gpuCount: input.gpu_count ?? 1,
    gpuFraction: input.gpu_fraction ?? null,
    gpuMemoryGb: input.gpu_memory_gb ?? null,
    gpuModel: input.gpu_model ?? null,
    gpusChosen: input.gpu_count !== undefined || input.gpu_fraction !== undefined,
    instanceCount: input.instance_count ?? 1,
    cpu: null,
    memoryGb: null,
    priority: input.priority,
    maxTime: input.max_time ?? (estimate === undefined ? env().GPUQ_MAX_TIME_S : null),
    maxRetries: input.max_retries ?? 2,
    env: input.env ?? {},
    args: [],
    cudaArgument: false,
    command: null,
    archive: null,
    runName: null,
    tty: input.tty ?? false,
    freshNodes: false,
    maxAssignAttempts: null,
    assignRetryWait: null,
    allowedGpus: null,
    pool: null,
    notifyUrl: null,
    tags: [],
  }
}
