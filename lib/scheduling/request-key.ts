import type { ResourceRequest } from './types'

const keys = new WeakMap<ResourceRequest, string>()

/** Returns a text that is equal for equal requests. Cached by object, because requests are read-only. */
export function requestKey(request: ResourceRequest): string {
  const known = keys.get(request)
  if (known !== undefined) return known
  const key = JSON.stringify(request)
  keys.set(request, key)
  return key
}
