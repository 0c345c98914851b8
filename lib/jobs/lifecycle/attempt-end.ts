import { type CancelReason, type EndReason, endReasons } from '../../contract/reasons'

/** How one attempt, or one task of it, ended. */
export interface Outcome {
  reason: EndReason
  /** What the reason leaves open, in a sentence. */
  detail: string | null
  exitCode: number | null
}

/** A task that is over. */
export interface EndedTask extends Outcome {
  rank: number
  node: string
  /** By the database's clock. Of a task whose node was lost: when that was last heard of. */
  endedAt: Date
  /** When it was asked to make room for another job. */
  preemptedAt: Date | null
}

export interface Cancel {
  reason: CancelReason
  at: Date
}

/** Reasons of tasks that say nothing of why the attempt came to its end. */
const consequences: readonly EndReason[] = ['finished', 'peer_failed']

/**
 * How an attempt ended whose tasks are all over. It completed if every task did. Else the first that ended otherwise
 * decides, and the detail names it; but programs also fail because a peer of theirs is gone, so an exit code gives way
 * to whatever else made a task end, as long as that began before.
 */
export function judgeAttempt(tasks: readonly EndedTask[], cancel: Cancel | null): Outcome {
  const [only] = tasks
  if (!only) throw new Error('an attempt without tasks')
  if (tasks.length === 1) return judgeSingle(only, cancel)
  if (tasks.every(({ reason }) => reason === 'finished')) return outcomeOf(only)
  const first = firstToFail(tasks)
  if (cancel && cancel.at <= first.endedAt) return cancelled(cancel)
  const askedToGo = tasks.some(({ preemptedAt }) => preemptedAt !== null && preemptedAt <= first.endedAt)
  if (askedToGo) return { reason: 'preempted', detail: null, exitCode: null }
  const cause = first.reason === 'exit_code' ? (causeOf(first, tasks) ?? first) : first
  if (cancel && endReasons[cause.reason].fault === 'system') return cancelled(cancel)
  return { reason: cause.reason, detail: detailOf(cause), exitCode: cause.exitCode }
}

/** A job whose cancel was asked for is cancelled whatever else went wrong with the system. */
function judgeSingle(task: EndedTask, cancel: Cancel | null): Outcome {
  return cancel && endReasons[task.reason].fault === 'system' ? cancelled(cancel) : outcomeOf(task)
}

function firstToFail(tasks: readonly EndedTask[]): EndedTask {
  const failed = tasks.filter(({ reason }) => !consequences.includes(reason))
  const [first] = inOrder(failed.length > 0 ? failed : tasks.filter(({ reason }) => reason !== 'finished'))
  if (!first) throw new Error('no task failed')
  return first
}

/**
 * Why a program's peers may have gone before it failed. Once it had, they were stopped as its peers: a reason of their
 * own is older, but for a node's, which may be lost at any time.
 */
function causeOf(failed: EndedTask, tasks: readonly EndedTask[]): EndedTask | undefined {
  return inOrder(tasks).find(({ reason, endedAt }) => {
    if (reason === 'exit_code' || consequences.includes(reason)) return false
    return reason !== 'node_lost' || endedAt <= failed.endedAt
  })
}

function inOrder(tasks: readonly EndedTask[]): EndedTask[] {
  return tasks.toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime() || a.rank - b.rank)
}

function detailOf({ rank, node, reason, detail, exitCode }: EndedTask): string | null {
  if (reason === 'cancelled_by_user' || reason === 'cancelled_by_admin' || reason === 'preempted') return null
  const which = `${rank} on node "${node}"`
  if (reason === 'exit_code') {
    const how = detail ?? `Exit code ${exitCode}.`
    return `Rank ${which} ended with ${how.charAt(0).toLowerCase()}${how.slice(1)}`
  }
  const where = `It was rank ${which}.`
  return reason === 'node_lost' || detail === null ? where : `${where} ${detail}`
}

function outcomeOf({ reason, detail, exitCode }: Outcome): Outcome {
  return { reason, detail, exitCode }
}

function cancelled({ reason }: Cancel): Outcome {
  return { reason, detail: null, exitCode: null }
}
