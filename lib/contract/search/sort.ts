import { sortKeys } from '../job-columns'
import { maxMetricName } from './search-keys'

/** The order with the running jobs first, then those that wait, then those that have ended, each with the newest first. */
export const activeFirst = 'active'

/** An order of a list of jobs, with `-` for the largest first. */
export const sortPattern = new RegExp(
  `^(?:${activeFirst}|-?(?:${sortKeys.join('|')}|metric\\.[^\\0]{1,${maxMetricName}}))$`,
)
