import { env } from '../../env'

/** The times of a lease. All follow from its length, so that the order of renewal, fencing and loss is always the same. */
export function leaseTimes(leaseSeconds = env().GPUQ_NODE_LEASE_S) {
  return {
    /** A node whose lease is older is lost. */
    leaseSeconds,
    renewEveryMs: (leaseSeconds * 1_000) / 6,
    /** A worker that could not renew for so long stops its containers, before the node is lost. */
    selfFenceAfterMs: (leaseSeconds * 2_000) / 3,
  }
}
