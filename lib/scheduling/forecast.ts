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
  /** The running job, or job that starts now, for whose end it waits, directly or through others. Null: for none. */
  after: string | null
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
  const others = scheduler.inQueueOrder().map(({ id }) => ({ jobId: id, startsAt: null, after: null }))
  return [...starts, ...others].map((start, index) => ({ ...start, position: index + 1 }))
}

/**
 * The same for one waiting job of the snapshot, without the starts after its own.
 * @returns null if the job does not wait.
 */
export function forecastOne(snapshot: Snapshot, jobId: string, maxStarts: number): Expectation | null {
  const scheduler = new Scheduler(snapshot)
  let position = 0
  for (const start of forecastStarts(scheduler, snapshot.now)) {
    position += 1
    if (start.jobId === jobId) return { ...start, position }
    if (position >= maxStarts) break
  }
  const place = scheduler.inQueueOrder().findIndex(({ id }) => id === jobId)
  return place === -1 ? null : { jobId, startsAt: null, after: null, position: position + place + 1 }
}

/** A simulated start, in milliseconds since the epoch. */
export interface ForecastStart {
  jobId: string
  startsAt: number
  /** As in {@link Expectation}. */
  after: string | null
}

/**
 * Simulates a scheduler from `from` on as {@link forecast} does, and yields the starts in their order until no job
 * can start any more. Changes the scheduler.
 */
export function* forecastStarts(scheduler: Scheduler, from: number): Generator<ForecastStart> {
  const causes = new Causes()
  for (let now = from; ; ) {
    const { placements, preemptions } = scheduler.decide(now)
    for (const { jobId, tasks } of placements)
      yield { jobId, startsAt: now, after: causes.causeOf(jobId, tasks) }
    if (preemptions.length > 0) {
      for (const { jobId } of preemptions) scheduler.finish(jobId)
      continue
    }
    const next = nextEvent(scheduler, now)
    if (next === null) return
    now = next
    causes.clear()
    for (const [jobId, { endsAt, nodes }] of scheduler.running) {
      if (endsAt > now) continue
      scheduler.finish(jobId)
      causes.addEnd(jobId, nodes)
    }
  }
}

/** Finds for each simulated start the running job without whose end it would not happen. */
class Causes {
  /** The running job for whose end a simulated job waited. */
  readonly #causes = new Map<string, string>()
  #lastEnded: string | null = null
  readonly #endedOn = new Map<string, string>()

  /** Records a job that ends now. */
  addEnd(jobId: string, nodes: readonly { id: string }[]): void {
    const cause = this.#causes.get(jobId) ?? jobId
    this.#lastEnded = cause
    for (const { id } of nodes) this.#endedOn.set(id, cause)
  }

  /** Forgets which jobs ended, before the next event. */
  clear(): void {
    this.#lastEnded = null
    this.#endedOn.clear()
  }

  /** Returns the cause of a start: the end of a job on one of its nodes, otherwise that of another job. */
  causeOf(jobId: string, tasks: readonly { nodeId: string }[]): string | null {
    const onNode = tasks.map(({ nodeId }) => this.#endedOn.get(nodeId)).find((cause) => cause !== undefined)
    const cause = onNode ?? this.#lastEnded
    if (cause !== null) this.#causes.set(jobId, cause)
    return cause
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
