import type { EndReason, SlurmStopReason } from '@/lib/contract/reasons'
import { isFinal } from '@/lib/contract/status'
import type { JobWait } from '@/lib/jobs/state/explain'
import type { Outcome } from '@/lib/jobs/state/finish'
import type { SlurmJobState } from '@/lib/slurm/client/slurm-client'
import { describeSlurmReason } from '@/lib/slurm/jobs/describe-reason'
import type { LiveSlurmJob, SlurmFacts } from '@/lib/slurm/jobs/live-jobs'
import { niceOf } from '@/lib/slurm/size/size'

/** What is to be done about one Slurm job. */
export interface Decision {
  row: LiveSlurmJob
  /** The id that was not known yet. */
  foundId: number | null
  /** What changed; null: nothing. */
  facts: SlurmFacts | null
  /** The running attempt must stop for this reason. */
  stop: SlurmStopReason | null
  /** The Slurm job is cancelled. */
  cancel: boolean
  /** The nice value that gpuq's priority demands now; null: no change. */
  nice: number | null
  /** It was held or released in gpuq, so it must be in Slurm; null: no change. */
  hold: boolean | null
  /** It was held or released in Slurm by hand, so it is in gpuq; null: no change. */
  adoptHold: boolean | null
  /** Why the job waits, if that changed. */
  wait: JobWait | null
  /** The Slurm job is over: the row ends, and with a verdict the waiting job too. */
  end: { state: string; verdict: Outcome | null; failedStart: boolean } | null
}

/** States of a job that Slurm will not start, or start again. */
const finalStates = [
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMEOUT',
  'DEADLINE',
  'NODE_FAIL',
  'BOOT_FAIL',
  'OUT_OF_MEMORY',
  'PREEMPTED',
  'REVOKED',
]

export const isSlurmFinal = ({ state }: Pick<SlurmJobState, 'state'>) => finalStates.includes(state)

/** Before its first start, or before it is started again. */
const isWaiting = ({ state }: SlurmJobState) =>
  ['PENDING', 'REQUEUED', 'REQUEUE_HOLD', 'SPECIAL_EXIT'].includes(state)

/** Time for a step to end by itself after its task, before the Slurm job is cancelled. */
const doneGraceS = 15

/** Slurm sends SIGTERM at most this long before the time limit: `--signal`, and what a busy controller adds. */
const nearLimitS = 120

/** Exit code of a step that Slurm told to stop: SIGTERM. */
export const terminatedCode = 128 + 15

/** Why an attempt must stop in each state of its Slurm job. In the other states it runs. */
const stopReasons: Readonly<Record<string, SlurmStopReason>> = {
  PENDING: 'slurm_requeued',
  REQUEUED: 'slurm_requeued',
  REQUEUE_HOLD: 'slurm_requeued',
  SPECIAL_EXIT: 'slurm_requeued',
  CANCELLED: 'cancelled_in_slurm',
  TIMEOUT: 'timeout',
  DEADLINE: 'timeout',
  NODE_FAIL: 'node_lost',
  BOOT_FAIL: 'node_lost',
  OUT_OF_MEMORY: 'out_of_memory',
  PREEMPTED: 'preempted',
  REVOKED: 'slurm_stopped',
  COMPLETED: 'slurm_stopped',
  FAILED: 'slurm_stopped',
}

/** Reasons of a waiting job that never go away, and what they are in gpuq. */
const neverStarts: Readonly<Record<string, EndReason>> = {
  BadConstraints: 'slurm_refused',
  DependencyNeverSatisfied: 'dependency_failed',
}

/** Decides about a job that Slurm knows. Pure. */
export function compareJob(row: LiveSlurmJob, seen: SlurmJobState): Decision {
  const decision = {
    ...nothing(row),
    foundId: row.slurmId === null ? seen.id : null,
    // A hold is compared only while the job waits in gpuq. What was set by hand before is found then.
    facts: changedFacts(row, seen, row.held),
  }
  if (row.hasLiveTask) return { ...decision, stop: stopOf(row, seen) }
  if (isSlurmFinal(seen)) return { ...decision, end: endOf(row, seen) }
  const over = row.status === null || isFinal(row.status)
  // An attempt ended in this start, and the job waits for a retry: that is a Slurm job of its own.
  const spent = row.attempt !== null && row.attemptRestart === seen.restarts && !isWaiting(seen)
  if (over || spent) {
    const ending = seen.state === 'COMPLETING'
    const ripe = isWaiting(seen) || (!ending && (row.doneSeconds ?? 0) > doneGraceS)
    return { ...decision, cancel: ripe }
  }
  if (!isWaiting(seen)) return { ...decision, wait: notAcceptedOf(row, seen) }
  const reason = neverStarts[seen.reason ?? '']
  if (reason !== undefined) {
    const verdict: Outcome = { reason, detail: describeSlurmReason(seen.reason), exitCode: null }
    return { ...decision, cancel: true, end: { state: seen.state, verdict, failedStart: false } }
  }
  if (row.status !== 'pending') return decision
  const nice = niceOf(row.priority)
  return {
    ...decision,
    facts: changedFacts(row, seen, seen.held),
    nice: nice === row.nice ? null : nice,
    ...holdOf(row, seen),
    wait: waitOf(row, seen),
  }
}

/**
 * Decides about a job that Slurm does not know, although its controller answered after the submission was over.
 * @param ended its last state in the accounting; null: none.
 */
export function compareMissingJob(row: LiveSlurmJob, ended: SlurmJobState | null): Decision {
  if (ended && isSlurmFinal(ended)) return compareJob(row, ended)
  const decision = nothing(row)
  // It may still run: Slurm lost its state. Its step decides, which slurmd ends if it belongs to an unknown job.
  if (row.hasLiveTask) return decision
  return { ...decision, end: { state: 'LOST', verdict: null, failedStart: false } }
}

function nothing(row: LiveSlurmJob): Decision {
  return {
    row,
    foundId: null,
    facts: null,
    stop: null,
    cancel: false,
    nice: null,
    hold: null,
    adoptHold: null,
    wait: null,
    end: null,
  }
}

function changedFacts(row: LiveSlurmJob, seen: SlurmJobState, held: boolean): SlurmFacts | null {
  const { startsAt } = seen
  const same =
    row.state === seen.state &&
    row.reason === seen.reason &&
    row.held === held &&
    row.restarts >= seen.restarts &&
    row.startsAt?.getTime() === startsAt?.getTime()
  if (same) return null
  return { state: seen.state, reason: seen.reason, held, restarts: seen.restarts, startsAt }
}

function stopOf(row: LiveSlurmJob, seen: SlurmJobState): SlurmStopReason | null {
  if (row.stopReason !== null) return null
  if (row.attemptRestart !== null && seen.restarts > row.attemptRestart) return 'slurm_requeued'
  // It hides the final state until the epilog has ended, but not why Slurm ended the job.
  if (seen.state === 'COMPLETING') return seen.reason === 'TimeLimit' ? 'timeout' : null
  return isNearLimit(seen) ? 'timeout' : (stopReasons[seen.state] ?? null)
}

/**
 * Whether its step ended because Slurm sent it SIGTERM shortly before the time limit (`--signal`). Then the step ends with its
 * program, before Slurm would set the state TIMEOUT. The time in suspension counts as run time here.
 */
function isNearLimit({ exitCode, startedAt, endedAt, limitS }: SlurmJobState): boolean {
  if (exitCode !== terminatedCode || startedAt === null || endedAt === null || limitS === null) return false
  return limitS - (endedAt.getTime() - startedAt.getTime()) / 1000 <= nearLimitS
}

/** An attempt that ended in this start was judged with its tasks. */
function endOf(row: LiveSlurmJob, seen: SlurmJobState): Decision['end'] {
  const started = row.attempt !== null && row.attemptRestart === seen.restarts
  const waits = row.status === 'pending' && !started
  const reason = waits ? endReasonOf(seen) : null
  return {
    state: seen.state,
    verdict: reason && { reason, detail: null, exitCode: null },
    failedStart: waits && (seen.state === 'FAILED' || seen.state === 'COMPLETED'),
  }
}

/** Why a job ends that Slurm ended before a step of it arrived; null: it is submitted again. */
function endReasonOf({ state }: SlurmJobState): Outcome['reason'] | null {
  if (state === 'CANCELLED') return 'cancelled_in_slurm'
  if (state === 'TIMEOUT' || state === 'DEADLINE') return 'timeout'
  return state === 'OUT_OF_MEMORY' ? 'out_of_memory' : null
}

/** If both sides changed since the last poll, the change in Slurm is kept. */
function holdOf(row: LiveSlurmJob, seen: SlurmJobState): Pick<Decision, 'hold' | 'adoptHold'> {
  if (row.jobHeld === seen.held) return { hold: null, adoptHold: null }
  return seen.held === row.held
    ? { hold: row.jobHeld, adoptHold: null }
    : { hold: null, adoptHold: seen.held }
}

function waitOf(row: LiveSlurmJob, seen: SlurmJobState): JobWait | null {
  return changedWait(row, seen.held ? 'slurm_held' : 'slurm_pending', describeSlurmReason(seen.reason))
}

/** Slurm has started it, on a node whose worker has not accepted it. The batch script waits two minutes for one. */
function notAcceptedOf(row: LiveSlurmJob, { state, nodes }: SlurmJobState): JobWait | null {
  if (row.status !== 'pending' || state === 'COMPLETING') return null
  const detail = `Slurm started it on ${nodes.join(', ')}. If this lasts, an admin can start a worker there, or drain the node.`
  return changedWait(row, 'slurm_starting', detail)
}

function changedWait(row: LiveSlurmJob, reason: JobWait['reason'], detail: string | null): JobWait | null {
  if (row.waitReason === reason && row.waitDetail === detail) return null
  return { jobId: row.jobId, reason, detail }
}
