import { maxMetricName } from './search-keys'

/** Orders of a list of jobs besides metrics. */
export const sortKeys = ['submitted', 'run_time', 'wait', 'gpu_hours'] as const

/** An order of a list of jobs, with `-` for the largest first. */
export const sortPattern = new RegExp(`^-?(?:${sortKeys.join('|')}|metric\\.[^\\0]{1,${maxMetricName}})$`)
