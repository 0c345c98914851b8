import { dispatchCandidates } from './dispatch-candidates'
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
  // What gives way does so for one job: the next pass decides whose turn it is in its place.
  const givesWay = preemptions.length > 0 || snapshot.running.some(({ leaving }) => leaving)
  const mayFollow = snapshot.policy.running && !givesWay
  return {
    placements,
    preemptions,
    waiting: waiting.sort((a, b) => (a.jobId < b.jobId ? -1 : 1)),
    next: mayFollow ? dispatchCandidates(scheduler, new Map(waiting.map((one) => [one.jobId, one]))) : [],
  }
}
