import { Scheduler } from './scheduler'
import type { Snapshot } from './types'

/** When a waiting job should start. */
interface Expectation {
  jobId: string
  /** 1 for the job that should start next. */
  position: number
  /** Null: not under what the cluster is now, or later than was looked ahead. */
  startsAt: number | null
}

/**
 * Runs the scheduler forward, as if each job took as long as it is expected to and none came, and gives the waiting
 * jobs in the order of their starts, and after them those without one, in the order of their turns. Where the expected
 * times are exact, so is this.
 *
 * @param most how many starts are looked ahead; what starts after that has no time yet.
 */
export function forecast(snapshot: Snapshot, most = Number.POSITIVE_INFINITY): Expectation[] {
  const scheduler = new Scheduler(snapshot)
  const starts: { jobId: string; startsAt: number }[] = []
  for (let now = snapshot.now; starts.length < most; ) {
    const { placements, preemptions } = scheduler.decide(now)
    starts.push(...placements.map(({ jobId }) => ({ jobId, startsAt: now })))
    if (preemptions.length > 0) {
      for (const { jobId } of preemptions) scheduler.finish(jobId)
      continue
    }
    const next = nextEvent(scheduler, now)
    if (next === null) break
    now = next
    for (const [jobId, { endsAt }] of scheduler.running) if (endsAt <= now) scheduler.finish(jobId)
  }
  const others = scheduler.inTurn().map(({ id }) => ({ jobId: id, startsAt: null }))
  return [...starts, ...others].map((start, index) => ({ ...start, position: index + 1 }))
}

/** What happens next that may let a job start; null when nothing more will. */
function nextEvent(scheduler: Scheduler, now: number): number | null {
  if (scheduler.waiting.size === 0 || !scheduler.queueOrder.policy.running) return null
  let next = Number.POSITIVE_INFINITY
  // One that runs longer than it was expected to may end at any moment.
  for (const { endsAt } of scheduler.running.values())
    next = Math.min(next, Math.max(endsAt, now + overdueMs))
  for (const { job } of scheduler.waiting.values()) {
    if (job.notBefore !== null && job.notBefore > now) next = Math.min(next, job.notBefore)
  }
  return next === Number.POSITIVE_INFINITY ? null : next
}

const overdueMs = 1
