import { maxMetricName } from './search-keys'

/** The order with the running jobs first, then those that wait, then those that have ended, each with the newest first. */
export const activeFirst = 'active'

/** Orders of a list of jobs by an amount, besides metrics. */
export const sortKeys = ['submitted', 'run_time', 'wait', 'gpu_hours'] as const

/** An order of a list of jobs, with `-` for the largest first. */
export const sortPattern = new RegExp(
  `^(?:${activeFirst}|-?(?:${sortKeys.join('|')}|metric\\.[^\\0]{1,${maxMetricName}}))$`,
)
