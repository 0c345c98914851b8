import { describeTooLarge } from '../describe-shortage'
import type { NodeKinds } from '../node-kinds'
import type { NodeState, ResourceRequest } from '../types'

/** Which nodes are large enough for a request, whatever runs there now, and why they are too few. */
export interface SizeVerdict {
  largeEnough: readonly NodeState[]
  /** What no node has, as the end of a sentence; null: the request fits once these nodes are open and free. */
  tooLarge: string | null
}

/**
 * Judges whether a request can ever start. The submission and the scheduler both ask this, so that no job is accepted
 * that the scheduler knows to wait for ever.
 */
export function judgeSize(
  request: ResourceRequest,
  nodes: readonly NodeState[],
  kinds: NodeKinds,
): SizeVerdict {
  const largeEnough = kinds.largeEnough(request)
  if (largeEnough.length >= request.instances) return { largeEnough, tooLarge: null }
  return { largeEnough, tooLarge: describeTooLarge(request, nodes, largeEnough.length) }
}
