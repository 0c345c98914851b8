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

/** Returns a text that is equal for equal requests. */
export function requestKey(request: ResourceRequest): string {
  return JSON.stringify(request)
}
