import { LeaseLost } from '@/lib/cluster/nodes/nodes'
import { logger } from '@/lib/logger'

/** Does a part of a loop. A failure is logged, and the loop tries again. */
export async function tryTo(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    // The loop that renews the lease also detects its loss.
    if (!(error instanceof LeaseLost)) logger.error({ err: error }, `could not ${what} on the node, retrying`)
  }
}
