import { ChangeSignal } from '@/lib/async/change-signal'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { markReady, type Readiness, readReadiness } from '@/lib/cluster/tasks/task-progress'
import { type ClaimedTask, recordStopReason } from '@/lib/cluster/tasks/tasks'
import { listener } from '@/lib/database/listen'
import type { Outcome } from '@/lib/jobs/state/finish'
import { retryWrite } from '../lease/retry-write'
import { TaskFault } from './task-fault'

/** Polling interval, in case a notification is lost. */
const pollIntervalMs = 1_000
/** Time for the other tasks after the first is ready. One may still be pulling its image. */
const peerTimeoutSeconds = 600

/**
 * Reports that the task's container exists, and waits for the containers of all its peers. Returns false if
 * `stopping` was aborted first. Idempotent: a restarted worker continues to wait.
 * @throws {TaskFault} if the others were not ready `limitSeconds` after the first.
 */
export async function waitForPeers(
  lease: Lease,
  task: ClaimedTask,
  stopping: AbortSignal,
  limitSeconds = peerTimeoutSeconds,
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
      if (waitedSeconds > limitSeconds) throw peersMissing(missing, limitSeconds)
      await wake.wait(pollIntervalMs)
    }
    return false
  } finally {
    stopListening()
  }
}

/** Stops the peers of a failed task immediately, because the remaining steps may take a while. */
export async function warnPeers(
  lease: Lease,
  task: ClaimedTask,
  { reason }: Outcome,
  abandoned: AbortSignal,
): Promise<void> {
  if (task.instances === 1 || reason === 'finished') return
  await retryWrite(abandoned, 'failure', () => recordStopReason(lease, task, reason))
}

function peersMissing(missing: Readiness['missing'], seconds: number): TaskFault {
  const names = missing.map(({ rank, nodeName }) => `rank ${rank} on node "${nodeName}"`)
  const message = `Not ready ${seconds} seconds after the first: ${names.join(', ')}.`
  return new TaskFault('peers_missing', message)
}
