import { isFinal, type JobStatus } from '../../contract/status'

export type ProvisionStatus = 'starting' | 'up' | 'ending' | 'ended'

/** What is known of the nodes that are brought up for one job. */
export interface ProvisionFacts {
  status: ProvisionStatus
  /** Null: the job is gone. */
  jobStatus: JobStatus | null
  /** The job's attempt, 0 before the first. */
  attempt: number
  /** How often the nodes were brought up. */
  round: number
  /** Its nodes that live, and how many it needs. */
  nodes: number
  wanted: number
  /** The nodes should have been there by now. */
  overdue: boolean
  /** A command runs for it in this term. */
  busy: boolean
  /** Whether its last command was started in this term: else it was interrupted, and what it did is not known. */
  ours: boolean
}

/**
 * - `wait`: nothing to do now;
 * - `give_up`: the job fails, and what there is of its nodes is taken down;
 * - `settle`: the nodes are there, however the command that brought them up ended;
 * - `again`: nodes were lost; they are brought up anew;
 * - `end`: the nodes have no use any more;
 * - `take_down`: run the command that takes them down.
 */
type ProvisionStep = 'wait' | 'give_up' | 'settle' | 'again' | 'end' | 'take_down'

/** What to do next. Pure: the same facts always give the same step. */
export function nextProvisionStep(facts: ProvisionFacts): ProvisionStep {
  const { status, jobStatus, busy } = facts
  if (status === 'ended') return 'wait'
  if (status === 'ending') return busy ? 'wait' : 'take_down'
  if (jobStatus === null || isFinal(jobStatus)) return 'end'
  const served = jobStatus !== 'pending' || facts.nodes >= facts.wanted
  if (status === 'starting') {
    if (served) return busy || facts.ours ? 'wait' : 'settle'
    if (facts.overdue) return 'give_up'
    // A command that another term began may have done its work by half: the nodes go, and come anew.
    return busy || facts.ours ? 'wait' : 'end'
  }
  if (served) return 'wait'
  // The nodes of a job that comes back to the queue were lost; before its first attempt they are only late.
  if (facts.attempt >= facts.round) return 'again'
  return facts.overdue ? 'give_up' : 'wait'
}
