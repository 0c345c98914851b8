import type { Demand, ResourceRequest } from './types'

/** What kinds of jobs there are among some, and how many of each; alike in whatever order they come. */
export function countKinds(requests: Iterable<ResourceRequest>): Demand[] {
  const kinds = new Map<string, Demand>()
  for (const request of requests) {
    const key = JSON.stringify(request)
    kinds.set(key, { request, weight: (kinds.get(key)?.weight ?? 0) + 1 })
  }
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, demand]) => demand)
}
