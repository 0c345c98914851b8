import { sleep } from '@/lib/async/sleep'
import { markExpiredNodesLost } from '@/lib/cluster/nodes/lost-nodes'
import { describeProgress, settleDependencies } from '@/lib/jobs/dependencies/settle-dependencies'
import { logger } from '@/lib/logger'
import type { Engine } from '../engine/engine'
import { featureQueueTasks, leaderTasks } from '../features'
import { attempt } from './attempt'
import { onQueueChange } from './on-queue-change'
import { storeResults } from './store-results'
import { sweep } from './sweep'

const lostNodesIntervalMs = 1_000
/** In case a notification is lost. */
const dependenciesIntervalMs = 1_000
const queueTaskIntervalMs = 1_000
/** Many submissions and ends at once lead to few searches. */
const dependenciesRestMs = 100
const progressIntervalMs = 2_000

/**
 * The leader's loop: lets the engine start jobs, ends the wait of jobs for other jobs, handles lost nodes, stores the
 * output of ended jobs as files, deletes what has expired, and does the tasks of features.
 */
export async function lead(engine: Engine, signal: AbortSignal): Promise<void> {
  await Promise.all([
    engine.schedule(signal),
    followDependencies(signal),
    followProgress(signal),
    ...featureQueueTasks.map((task) => followQueue(task, signal)),
    keepNodes(signal),
    storeResults(signal),
    sweep(signal),
    ...leaderTasks.map((task) => task(signal)),
  ])
}

/** Calls a task of a feature after each change of the queue, and in case a notification was lost. */
async function followQueue(
  { what, run }: (typeof featureQueueTasks)[number],
  signal: AbortSignal,
): Promise<void> {
  await onQueueChange(signal, queueTaskIntervalMs, async () => {
    let isMore = false
    await attempt(what, async () => {
      isMore = await run()
    })
    return isMore
  })
}

/** Each job that ends notifies the queue. A search that takes long is followed by as long a rest. */
async function followDependencies(signal: AbortSignal): Promise<void> {
  await onQueueChange(signal, dependenciesIntervalMs, async () => {
    const beganMs = performance.now()
    await attempt('settle dependencies', settleDependencies)
    await sleep(Math.max(dependenciesRestMs, performance.now() - beganMs), signal)
    return false
  })
}

/** Members can end often, and how many have ended is only for people. */
async function followProgress(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await attempt('say how far the groups are for which jobs wait', describeProgress)
    await sleep(progressIntervalMs, signal)
  }
}

/** Freed resources are placed at once, because losing a node notifies the leader. */
async function keepNodes(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await attempt('reconcile', async () => {
      const lost = await markExpiredNodesLost()
      if (lost.length > 0) logger.warn({ nodes: lost }, 'nodes lost: their leases expired')
    })
    await sleep(lostNodesIntervalMs, signal)
  }
}
