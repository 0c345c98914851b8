import { ChangeSignal } from '@/lib/async/change-signal'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { markReady, type Readiness, readReadiness } from '@/lib/cluster/tasks/gang'
import { type ClaimedTask, noteStop } from '@/lib/cluster/tasks/tasks'
import { listener } from '@/lib/database/listen'
import type { Outcome } from '@/lib/jobs/lifecycle/attempt-end'
import { retryWrite } from '../lease/retry-write'

/** The safety net under the notifications. */
const lookEveryMs = 1_000
/** What the others get after the first is ready: one may still be pulling its image. */
const barrierSeconds = 600

/** The attempt cannot start: some of its tasks did not get ready in time. */
export class PeersMissing extends Error {
  constructor(missing: Readiness['missing'], seconds: number) {
    const names = missing.map(({ rank, nodeName }) => `rank ${rank} on node "${nodeName}"`)
    super(`Not ready ${seconds} seconds after the first: ${names.join(', ')}.`)
    this.name = 'PeersMissing'
  }
}

/**
 * Says that the task's container is there, and waits until those of all its peers are. False when `stopping` came first:
 * a cancel, another job's turn, or a peer's failure. Doing it again, as a worker that was restarted does, goes on.
 * @throws {PeersMissing} when the others have had `limitSeconds` since the first was ready.
 */
export async function waitForPeers(
  lease: Lease,
  task: ClaimedTask,
  stopping: AbortSignal,
  limitSeconds = barrierSeconds,
): Promise<boolean> {
  const wake = new ChangeSignal(stopping)
  const stopListening = await listener().listen('node', (id) => {
    if (id === null || id === lease.nodeId) wake.notify()
  })
  try {
    if (!stopping.aborted) await retryWrite(stopping, 'ready', () => markReady(lease, task))
    while (!stopping.aborted) {
      const { missing, waitedSeconds } = await retryWrite(stopping, 'peers', () => readReadiness(task))
      if (missing.length === 0) return true
      if (waitedSeconds > limitSeconds) throw new PeersMissing(missing, limitSeconds)
      await wake.wait(lookEveryMs)
    }
    return false
  } finally {
    stopListening()
  }
}

/** What is left to do here may take a while: peers of what failed are stopped without waiting for it. */
export async function warnPeers(
  lease: Lease,
  task: ClaimedTask,
  { reason }: Outcome,
  abandoned: AbortSignal,
): Promise<void> {
  if (task.instances === 1 || reason === 'finished') return
  await retryWrite(abandoned, 'failure', () => noteStop(lease, task, reason))
}
