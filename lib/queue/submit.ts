import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import type { JobConfig } from '../contract/config/config'
import { readSpec } from '../contract/config/stored-spec'
import type { QueueSubmit } from '../contract/queue'
import type { DryRun } from '../contract/submission/dry-run'
import { accept } from '../jobs/submission/accept'
import type { JobRequest } from '../jobs/submission/check-request'
import type { SubmitOptions, Submitted } from '../jobs/submission/decide'
import { dryRun } from './dry-run'

/** For forecasts of jobs without an estimate. */
const assumedDurationS = 3600

/** Accepts a command as a job. @throws as {@link accept}. */
export function submitToQueue(
  actor: Actor,
  input: QueueSubmit,
  idempotencyKey: string | null,
  options: SubmitOptions = {},
): Promise<Submitted> {
  return accept(actor, toJobRequest(input, idempotencyKey), options)
}

/** Says what {@link submitToQueue} would do, and stores nothing. @throws its errors. */
export function tryForQueue(
  actor: Actor,
  input: QueueSubmit,
  options: Pick<SubmitOptions, 'uniqueName'> = {},
): Promise<DryRun> {
  return dryRun(actor, toJobRequest(input, null), options)
}

function toJobRequest(input: QueueSubmit, idempotencyKey: string | null): JobRequest {
  const bodyHash = createHash('sha256')
    .update(`queue ${JSON.stringify(input)}`)
    .digest()
  return {
    code: Buffer.alloc(0),
    runId: input.run_id ?? null,
    config: toJobConfig(input),
    bodyHash,
    idempotencyKey,
    timeAssumed: input.estimated_duration_seconds === undefined && input.max_time === undefined,
    user: input.user,
  }
}

/** The config of the job. If no time is given, {@link accept} adds the maximum time that the limits permit. */
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
