import { publishCandidates } from '@/lib/cluster/placement/direct-dispatch'
import { countFailedAssignments } from '@/lib/cluster/placement/failed-assignments'
import { commitPlacement, preemptJobs } from '@/lib/cluster/placement/place'
import { takeSnapshot } from '@/lib/cluster/placement/snapshot'
import { addUnavailableReasons, allowForMoreNodes } from '@/lib/cluster/placement/unavailable-reasons'
import { explainWaits } from '@/lib/jobs/state/explain'
import { traceStep } from '@/lib/logger'
import { plan } from '@/lib/scheduling/plan'
import { attempt } from '../scheduler/attempt'
import { onQueueChange } from '../scheduler/on-queue-change'
import { watchPass } from '../scheduler/watch-pass'
import type { Engine } from './engine'

/** Polling interval, in case a notification is lost. */
const pollIntervalMs = 1_000
/**
 * On a large cluster, passes without a notification are less frequent, so that they take at most a quarter of the
 * time. The interval stays below the five seconds for which dispatch candidates are valid.
 */
const pauseFactor = 3
const maxPauseMs = 3_000

/** gpuq's own scheduler: the leader places jobs on the nodes of its workers. */
export const builtinEngine: Engine = {
  findObstacle: async () => null,
  schedule: place,
  // The node claims what the leader placed there.
  serve: async () => {},
}

async function place(signal: AbortSignal): Promise<void> {
  let due = Number.NEGATIVE_INFINITY
  await onQueueChange(signal, pollIntervalMs, async (isNotified) => {
    if (isNotified || performance.now() >= due) {
      const began = performance.now()
      await attempt('place', () => watchPass('placement', placeWaiting))
      due = performance.now() + pauseAfter(performance.now() - began)
    }
    return false
  })
}

/**
 * Returns the pause after a pass of the given duration, in milliseconds. Slightly shortened, because the loop wakes
 * once a second.
 */
export function pauseAfter(tookMs: number): number {
  const pauseMs = pauseFactor * tookMs
  return pauseMs <= pollIntervalMs ? 0 : Math.min(maxPauseMs, pauseMs)
}

/** One pass: snapshot, plan, commit. If the database refuses a placement, another pass follows immediately. */
export async function placeWaiting(): Promise<void> {
  for (let pass = 0; pass < 3; pass++) {
    const beganAt = performance.now()
    const { snapshot, reasons } = await takeSnapshot()
    const readAt = performance.now()
    if (snapshot.waiting.length === 0) return publishCandidates([])
    const { placements, preemptions, waiting: planned, next } = plan(snapshot)
    const waiting = allowForMoreNodes(planned)
    let refused = 0
    for (const placement of placements) {
      if (!(await commitPlacement(placement)).ok) refused += 1
      traceStep('planning', placement.jobId, beganAt)
      traceStep('snapshot', placement.jobId, readAt)
      traceStep('planned', placement.jobId)
    }
    await publishCandidates(refused === 0 ? next : [])
    // A stale plan may preempt the wrong jobs.
    if (refused === 0) await preemptJobs(preemptions)
    const counted = await countFailedAssignments(waiting)
    const explained = await addUnavailableReasons(waiting.filter(({ jobId }) => !counted.has(jobId)))
    await explainWaits(
      explained.filter(({ jobId, reason, detail }) => reasons.get(jobId) !== reason + (detail ?? '')),
    )
    if (refused === 0) return
  }
}
