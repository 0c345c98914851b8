import type { NearestValue, ProblemExtensions } from '../errors'

/** The end of the sentence about a job that can never start: the nearest request that fits, by its keys. Empty if there is none. */
export function adviseNearest(nearest: ProblemExtensions['nearest'] | null): string {
  const changes = Object.entries(nearest ?? {})
  return changes.length === 0 ? '' : ` The nearest request that fits: ${changes.map(setting).join(', ')}.`
}

function setting([key, value]: [string, NearestValue]): string {
  return value === null ? `no ${key}` : `${key}: ${value}`
}
