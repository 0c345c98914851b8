import { uploadStatuses } from '../status'

/** What a search of jobs can name. Completion, errors and help are derived from these tables. */

/** Keys with words as values: `status:failed`, `tag:best,v2`. */
export const wordKeys = {
  status: { about: 'state of the job', example: 'status:failed' },
  tag: { about: 'one of its tags', example: 'tag:baseline' },
  user: { about: 'who submitted it, for admins and managers; * for all', example: 'user:ada' },
  project: { about: 'its project', example: 'project:vision' },
  competition: { about: 'its competition', example: 'competition:cifar10' },
  environment: { about: 'the image that it ran in', example: 'environment:python' },
  is: { about: 'jobs with a star', example: 'is:starred' },
} as const
export type WordKey = keyof typeof wordKeys

/** Keys with amounts as values: `run_time>1h`. */
export const amountKeys = {
  age: { about: 'time since its submission', example: 'age<7d', unit: 'time' },
  run_time: { about: 'how long it ran', example: 'run_time>1h', unit: 'time' },
  wait: { about: 'how long it waited for its start', example: 'wait>10m', unit: 'time' },
  gpu_hours: { about: 'requested GPUs times hours', example: 'gpu_hours>8', unit: 'number' },
} as const
export type AmountKey = keyof typeof amountKeys

/** The key of metrics has their name: `metric.loss<0.2`. */
export const metricKey = { about: 'last value of a metric', example: 'metric.loss<0.2' } as const
export const metricPrefix = 'metric.'

/** The values of keys that have few. */
export const fixedValues = {
  status: uploadStatuses,
  is: ['starred'],
} as const satisfies Partial<Record<WordKey, readonly string[]>>

/** The keys whose values the server knows. */
export const suggestedKeys = ['tag', 'user', 'project', 'competition', 'environment', 'metric'] as const
export type SuggestedKey = (typeof suggestedKeys)[number]

export const keyNames = [...Object.keys(wordKeys), ...Object.keys(amountKeys), 'metric']

export const isWordKey = (key: string): key is WordKey => Object.hasOwn(wordKeys, key)
export const isAmountKey = (key: string): key is AmountKey => Object.hasOwn(amountKeys, key)

export const maxSearchCharacters = 500
export const maxTerms = 20
export const maxValues = 20
export const maxMetricName = 128

/** The longest search of the documentation. A longer text is no search. */
export const maxDocumentationQuery = 200
