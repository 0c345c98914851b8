import { dispatchCandidates } from './dispatch-candidates'
import { Explainer, type Waiting } from './explain'
import { Scheduler } from './scheduler'
import type { Decision, Snapshot } from './types'

export interface Plan extends Decision {
  waiting: readonly Waiting[]
  /** Jobs that may start as soon as another ends, without a scheduling pass, in queue order. */
  next: readonly string[]
}

/**
 * Decides which jobs start, which are preempted, and why each remaining job waits.
 * Pure: equal snapshots give equal plans, whatever the order of their jobs.
 */
export function plan(snapshot: Snapshot): Plan {
  const scheduler = new Scheduler(snapshot)
  const { placements, preemptions } = scheduler.decide(snapshot.now)
  const explainer = new Explainer(scheduler, snapshot.now)
  const waiting = [...scheduler.waiting.values()].map(({ job }) => explainer.explain(job))
  // A preemption frees resources for one particular job, so only the next pass may use them.
  const isPreempting = preemptions.length > 0 || snapshot.running.some(({ terminating }) => terminating)
  const mayDispatch = snapshot.policy.running && !isPreempting
  return {
    placements,
    preemptions,
    waiting: waiting.sort((a, b) => (a.jobId < b.jobId ? -1 : 1)),
    next: mayDispatch ? dispatchCandidates(scheduler, new Map(waiting.map((one) => [one.jobId, one]))) : [],
  }
}
