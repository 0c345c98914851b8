/** What the results of a project show at most. Pages load this file without the schemas. */

/** The newest jobs of a project that one answer has. */
export const maxResultJobs = 300
/** The most metrics in one answer, and in a link. */
export const maxResultMetrics = 12
/** Metrics that are shown if none are chosen. */
export const defaultResultMetrics = 4
/** Pictures of one job that are shown. */
export const maxPictures = 3
/** Names of metrics, and keys to group by, that an answer lists. */
export const maxResultNames = 200
/** The most jobs in one link. */
export const maxSharedResults = 100

/** Columns of the results, beside the metrics and the group. */
export const resultColumns = ['name', 'status', 'tags', 'submitted', 'run_time', 'pictures'] as const
export type ResultColumn = (typeof resultColumns)[number]
