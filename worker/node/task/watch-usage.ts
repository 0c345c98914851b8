import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { recordTaskUsage } from '@/lib/cluster/tasks/task-usage'
import { logger } from '@/lib/logger'
import type { Usage } from '../../runtime/runtime'

/** Early once, so that short jobs have a figure too. */
const firstAfterMs = 1_000
const everyMs = 5_000

/**
 * Writes down what a task's container has used, from time to time while it runs. A sample is one of many: one that is
 * lost is not tried again, and nothing waits for it. Never rejects.
 */
export async function watchUsage(
  lease: Lease,
  taskId: string,
  read: () => Promise<Usage | null>,
  running: AbortSignal,
): Promise<void> {
  for (let waitMs = firstAfterMs; ; waitMs = everyMs) {
    await sleep(waitMs, running)
    if (running.aborted) return
    try {
      const usage = await read()
      if (usage && !running.aborted) await recordTaskUsage(lease, taskId, usage)
    } catch (error) {
      logger.debug({ err: error, task: taskId }, 'a sample of its CPU and memory was lost')
    }
  }
}
