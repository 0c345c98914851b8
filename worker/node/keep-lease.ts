import { type Lease, renewEveryMs, renewLease, selfFenceAfterMs } from '@/lib/cluster/nodes'
import { logger } from '@/lib/logger'
import { pause } from '../pause'

/**
 * Renews the lease until it is lost or `signal` ends it. `expired` means: the database says so, or it has not answered
 * for 20 s by this machine's monotonic clock. Both come before anyone else may start this node's jobs.
 */
export async function keepLease(lease: Lease, signal: AbortSignal): Promise<'expired' | 'taken' | 'ended'> {
  let renewed = performance.now()
  while (!signal.aborted) {
    await pause(Math.min(renewEveryMs, selfFenceAfterMs - (performance.now() - renewed)), signal)
    if (signal.aborted) break
    const asked = performance.now()
    const answer = await Promise.race([
      renewLease(lease).catch((error: unknown) => {
        logger.warn({ err: error }, 'the lease could not be renewed, trying again')
        return 'unknown' as const
      }),
      pause(Math.max(0, renewed + selfFenceAfterMs - asked), signal).then(() => 'unknown' as const),
    ])
    if (answer === 'renewed') renewed = asked
    if (answer === 'expired' || answer === 'taken') return answer
    if (performance.now() - renewed >= selfFenceAfterMs) return 'expired'
    if (answer === 'unknown') await pause(500, signal)
  }
  return 'ended'
}
