import { ownAttempts, timeLimitSeconds } from '../contract/config/config'
import type { ParsedConfig } from '../contract/config/schema'
import type { Member } from './contract-members'
import { withOverrides } from './contract-wave'

/** Hours of all members together: if each takes its expected time, and if each takes its longest time, also in attempts for which `retry_on` asks. Retries after
 * faults of the system can add to them. */
export interface Hours {
  expected: number
  most: number
}

interface TimedConfig extends TimedKeys {
  budget_gpu_hours?: number | undefined
}

type TimedKeys = Pick<
  ParsedConfig,
  | 'env'
  | 'gpu_count'
  | 'gpu_fraction'
  | 'instance_count'
  | 'expected_time'
  | 'max_time'
  | 'max_retries'
  | 'retry_on'
>

/** What members take: hours of GPUs, at most those of the group's budget, and hours of run time. */
export function costOf(
  config: TimedConfig,
  members: readonly Pick<Member, 'overrides'>[],
  ceilingSeconds: number,
): { gpuHours: Hours; runHours: Hours } {
  const gpuHours: Hours = { expected: 0, most: 0 }
  const runHours: Hours = { expected: 0, most: 0 }
  for (const { overrides } of members) {
    const job = withOverrides(config, overrides)
    const longest = timeLimitSeconds(job, ceilingSeconds) / 3600
    const most = longest * ownAttempts(job)
    const expected = Math.min(job.expected_time / 3600, longest)
    const gpus = gpusOf(job)
    gpuHours.expected += gpus * expected
    gpuHours.most += gpus * most
    runHours.expected += expected
    runHours.most += most
  }
  const within = (hours: number) => Math.min(hours, config.budget_gpu_hours ?? hours)
  return { gpuHours: { expected: within(gpuHours.expected), most: within(gpuHours.most) }, runHours }
}

const gpusOf = ({ gpu_count, gpu_fraction, instance_count }: TimedConfig) =>
  (gpu_fraction ?? gpu_count) * instance_count
