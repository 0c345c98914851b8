import { describeGpuHours } from './gpu-hours'
import type { AgentLimitsInput } from './restriction'

/** The limits of a token for an agent in a few words each; empty: it has none of its own. */
export function describeLimits(
  limits: AgentLimitsInput,
  formatSeconds: (seconds: number) => string,
): string[] {
  return [
    limits.gpu_hours === null ? null : describeGpuHours(limits.gpu_hours),
    limits.gpu_hours_per_day === null ? null : `${describeGpuHours(limits.gpu_hours_per_day)} a day`,
    limits.max_gpus === null ? null : `${limits.max_gpus} GPU${limits.max_gpus === 1 ? '' : 's'} at once`,
    limits.max_priority === null ? null : `priority at most ${limits.max_priority}`,
    limits.max_time === null ? null : `jobs of at most ${formatSeconds(limits.max_time)}`,
    limits.projects === null ? null : `in ${limits.projects.join(', ')}`,
    limits.environments === null ? null : `with ${limits.environments.join(', ')}`,
    limits.ask_above_gpu_hours === null
      ? null
      : `asks you above ${describeGpuHours(limits.ask_above_gpu_hours)}`,
  ].filter((one) => one !== null)
}
