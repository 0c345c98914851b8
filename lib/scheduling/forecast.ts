import { Scheduler } from './scheduler'
import type { Snapshot } from './types'

/** The expected start of a waiting job. */
export interface Expectation {
  jobId: string
  /** 1 for the job that is expected to start next. */
  position: number
  /**
   * Milliseconds since the epoch. Null if the job cannot start on the current cluster, or starts later than
   * the look-ahead.
   */
  startsAt: number | null
}

/**
 * Simulates the scheduler under the assumption that each job takes exactly its expected time and no job
 * arrives. Returns the waiting jobs in the order of their starts, then the jobs without a start time in queue
 * order. The result is exact if the expected times are exact.
 * @param maxStarts number of starts to simulate; later jobs get no start time.
 */
export function forecast(snapshot: Snapshot, maxStarts = Number.POSITIVE_INFINITY): Expectation[] {
  const scheduler = new Scheduler(snapshot)
  const starts: ForecastStart[] = []
  for (const start of forecastStarts(scheduler, snapshot.now)) {
    starts.push(start)
    if (starts.length >= maxStarts) break
  }
  const others = scheduler.inQueueOrder().map(({ id }) => ({ jobId: id, startsAt: null }))
  return [...starts, ...others].map((start, index) => ({ ...start, position: index + 1 }))
}

/** A simulated start, in milliseconds since the epoch. */
export interface ForecastStart {
  jobId: string
  startsAt: number
}

/**
 * Simulates a scheduler from `from` on as {@link forecast} does, and yields the starts in their order until no job
 * can start any more. Changes the scheduler.
 */
export function* forecastStarts(scheduler: Scheduler, from: number): Generator<ForecastStart> {
  for (let now = from; ; ) {
    const { placements, preemptions } = scheduler.decide(now)
    for (const { jobId } of placements) yield { jobId, startsAt: now }
    if (preemptions.length > 0) {
      for (const { jobId } of preemptions) scheduler.finish(jobId)
      continue
    }
    const next = nextEvent(scheduler, now)
    if (next === null) return
    now = next
    for (const [jobId, { endsAt }] of scheduler.running) if (endsAt <= now) scheduler.finish(jobId)
  }
}

/** Returns the time of the next event that may let a job start, or null if there is none. */
function nextEvent(scheduler: Scheduler, now: number): number | null {
  if (scheduler.waiting.size === 0 || !scheduler.queueOrder.policy.running) return null
  let next = scheduler.nextPromotionAt(now)
  // A job that exceeds its expected time may end at any moment.
  for (const { endsAt } of scheduler.running.values())
    next = Math.min(next, Math.max(endsAt, now + overdueMs))
  for (const { job } of scheduler.waiting.values()) {
    if (job.notBefore !== null && job.notBefore > now) next = Math.min(next, job.notBefore)
  }
  return next === Number.POSITIVE_INFINITY ? null : next
}

const overdueMs = 1
