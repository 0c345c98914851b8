import { isFinal } from '../contract/status'
import type { Provision } from './provisions'

/** The state of the nodes provisioned for one job. */
export interface ProvisionFacts extends Omit<Provision, 'jobId' | 'request' | 'term'> {
  /** Whether a command runs for it in this leader term. */
  busy: boolean
  /**
   * Whether its last command was started in this leader term. Otherwise the command was interrupted and its effect
   * is unknown.
   */
  isFromThisTerm: boolean
}

/**
 * - `wait`: nothing to do now;
 * - `give_up`: fail the job and remove its nodes;
 * - `settle`: the nodes exist, however the provisioning command ended;
 * - `again`: nodes were lost; provision them again;
 * - `end`: the nodes are no longer needed;
 * - `take_down`: run the command that removes them.
 */
type ProvisionStep = 'wait' | 'give_up' | 'settle' | 'again' | 'end' | 'take_down'

/** Returns the next step. Pure: equal facts give equal steps. */
export function nextProvisionStep(facts: ProvisionFacts): ProvisionStep {
  const { status, jobStatus, busy } = facts
  if (status === 'ended') return 'wait'
  if (status === 'ending') return busy ? 'wait' : 'take_down'
  if (jobStatus === null || isFinal(jobStatus)) return 'end'
  const served = jobStatus !== 'pending' || facts.nodes >= facts.wanted
  if (status === 'starting') {
    if (served) return busy || facts.isFromThisTerm ? 'wait' : 'settle'
    if (facts.overdue) return 'give_up'
    // A command of another leader term may have done part of its work: remove the nodes and start again.
    return busy || facts.isFromThisTerm ? 'wait' : 'end'
  }
  if (served) return 'wait'
  // A job that returned to the queue lost its nodes. Before its first attempt they are only late.
  if (facts.attempt >= facts.round) return 'again'
  return facts.overdue ? 'give_up' : 'wait'
}
