import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import { findEnvironment } from '../access/environments'
import { findOrCreateUser } from '../access/users/submission-user'
import type { JobConfig } from '../contract/config/config'
import { readSpec } from '../contract/config/stored-spec'
import type { DryRun } from '../contract/dry-run'
import type { QueueSubmit } from '../contract/queue'
import { wakeLeader } from '../database/notify'
import { type Transaction, transaction } from '../database/transaction'
import { requireCapabilities } from '../jobs/config/capabilities'
import type { Submission } from '../jobs/submission/insert-job'
import { withModelRequirements } from '../jobs/submission/model-requirements'
import { decide, type SubmitOptions, type Submitted } from '../jobs/submission/submit'
import { dryRun } from './dry-run'

/** For forecasts of jobs without an estimate. */
const assumedDurationS = 3600

/**
 * Accepts a command as a job. One transaction decides its owner, the limits and the size of the queue.
 * @throws 403 if a researcher names another user, 409 for a name in use if it must be unique, 422 for an unknown
 * environment or a job that can never start, 429 over a limit.
 */
export async function submitToQueue(
  actor: Actor,
  input: QueueSubmit,
  idempotencyKey: string | null,
  { deduplicate = false, uniqueName = false }: SubmitOptions = {},
): Promise<Submitted> {
  const given = await readSubmission(input, idempotencyKey)
  const submission = { ...given, config: await withModelRequirements(given.config) }
  const environment = await findEnvironment(submission.config.environment ?? null)
  const submitted = await transaction(async (tx) => {
    const userId = await findOrCreateUser(tx, actor, input.user)
    return decide(tx, { actor, userId, environment, submission, deduplicate, uniqueName })
  })
  wakeLeader()
  return submitted
}

/** Says what {@link submitToQueue} would do, and stores nothing. @throws its errors. */
export async function tryForQueue(
  actor: Actor,
  input: QueueSubmit,
  { uniqueName = false }: Pick<SubmitOptions, 'uniqueName'> = {},
): Promise<DryRun> {
  const findOwner = (tx: Transaction) => findOrCreateUser(tx, actor, input.user)
  return dryRun(actor, await readSubmission(input, null), { uniqueName, findOwner })
}

/** @throws 422 for what this installation cannot do. */
async function readSubmission(input: QueueSubmit, idempotencyKey: string | null): Promise<Submission> {
  const config = toJobConfig(input)
  await requireCapabilities(config, '')
  const bodyHash = createHash('sha256')
    .update(`queue ${JSON.stringify(input)}`)
    .digest()
  const runId = input.run_id ?? null
  const timeAssumed = input.estimated_duration_seconds === undefined && input.max_time === undefined
  return { code: Buffer.alloc(0), runId, config, bodyHash, idempotencyKey, timeAssumed }
}

/** The config of the job. If no time is given, {@link decide} adds the maximum time that the limits permit. */
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
    gpusChosen: given.gpu_count !== undefined || given.gpu_fraction !== undefined,
  }
}
