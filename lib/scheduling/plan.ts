import { Explainer } from './explain'
import { Scheduler } from './scheduler'
import type { Plan, Snapshot } from './types'

/**
 * Places what can start, says who has to give way, and tells each job that is left waiting why.
 *
 * Pure: equal snapshots give equal plans, in whatever order their jobs come.
 */
export function plan(snapshot: Snapshot): Plan {
  const scheduler = new Scheduler(snapshot)
  const { placements, preemptions } = scheduler.decide(snapshot.now)
  const explainer = new Explainer(scheduler, snapshot.now)
  const waiting = [...scheduler.waiting.values()].map(({ job }) => explainer.explain(job))
  return { placements, preemptions, waiting: waiting.sort((a, b) => (a.jobId < b.jobId ? -1 : 1)) }
}
