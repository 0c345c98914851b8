import type { Demand, ResourceRequest } from './types'

/** Counts the kinds of requests. The result does not depend on their order. */
export function countKinds(requests: Iterable<ResourceRequest>): Demand[] {
  const kinds = new Map<string, Demand>()
  for (const request of requests) {
    const key = requestKey(request)
    kinds.set(key, { request, weight: (kinds.get(key)?.weight ?? 0) + 1 })
  }
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, demand]) => demand)
}

/** The forecasts of one snapshot ask for the same requests again. */
const keys = new WeakMap<ResourceRequest, string>()

/** Returns a text that is equal for equal requests. */
export function requestKey(request: ResourceRequest): string {
  const known = keys.get(request)
  if (known !== undefined) return known
  const key = JSON.stringify(request)
  keys.set(request, key)
  return key
}
