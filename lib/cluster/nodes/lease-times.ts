import { env } from '../../env'

export interface LeaseTimes {
  /** A node whose lease is older is lost. */
  leaseSeconds: number
  renewEveryMs: number
  /** A worker that could not renew for so long stops its containers, before the node is lost. */
  selfFenceAfterMs: number
}

/** The times of a lease. All follow from its length, so that the order of renewal, fencing and loss is always the same. */
export function leaseTimes(leaseSeconds = env().GPUQ_NODE_LEASE_S): LeaseTimes {
  return {
    leaseSeconds,
    renewEveryMs: (leaseSeconds * 1_000) / 6,
    selfFenceAfterMs: (leaseSeconds * 2_000) / 3,
  }
}
