import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { recordTaskUsage } from '@/lib/cluster/tasks/task-progress'
import { logger } from '@/lib/logger'
import type { Usage } from '../../runtime/runtime'

/** The first sample is early, so that short jobs have one too. */
const firstAfterMs = 1_000
const sampleIntervalMs = 5_000

/**
 * Records periodically what a running container uses. Does not retry a lost sample, and nothing waits for it. Never
 * rejects.
 */
export async function watchUsage(
  lease: Lease,
  taskId: string,
  read: () => Promise<Usage | null>,
  running: AbortSignal,
): Promise<void> {
  for (let waitMs = firstAfterMs; ; waitMs = sampleIntervalMs) {
    await sleep(waitMs, running)
    if (running.aborted) return
    try {
      const usage = await read()
      if (usage && !running.aborted) await recordTaskUsage(lease, taskId, usage)
    } catch (error) {
      logger.debug({ err: error, task: taskId }, 'could not store a CPU and memory sample of a task')
    }
  }
}
