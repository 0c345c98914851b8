import { bodyChanges } from './change-body'
import { headChanges } from './change-head'
import type { FuzzRequest } from './fuzz-request'
import { malformedHttp } from './malformed-http'
import { Random } from './random'
import { otherRequest, type Sources, validRequest } from './valid-request'

/** Makes the malformed request with this number. It depends only on the seed, the number and the sources. */
export function makeRequest(seed: number, index: number, sources: Sources): FuzzRequest {
  const random = new Random(Math.imul(seed, 0x9e3779b1) + index)
  const operation = random.pickAny(sources.document.operations)
  const other = operation === undefined || random.chance(0.1)
  const request = other ? otherRequest(sources, random) : validRequest(operation, sources, random)
  if (random.chance(0.05)) {
    const raw = malformedHttp(random)
    return { ...request, raw, ends: true, operation: undefined, changes: ['malformed HTTP'] }
  }
  const takesBody = request.body !== undefined
  const changes = 1 + random.upTo(3)
  for (let i = 0; i < changes; i++) {
    const kinds = random.chance(takesBody ? 0.65 : 0.15) ? bodyChanges : headChanges
    const [name, change] = random.pick(Object.entries(kinds))
    change(request, random)
    request.changes.push(name)
  }
  return request
}
