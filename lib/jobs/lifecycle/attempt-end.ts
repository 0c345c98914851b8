import { type EndReason, endReasons, isCancelReason, type RequestedStop } from '../../contract/reasons'
import type { Outcome } from '../state/finish'

/** A task that has ended. */
export interface EndedTask extends Outcome {
  rank: number
  node: string
  /** By the database's clock. For a lost node: the time of its last sign of life. */
  endedAt: Date
  /** When it was told to stop for another job. */
  preemptedAt: Date | null
}

export interface Cancel {
  reason: RequestedStop
  at: Date
}

/** Reasons that do not explain why an attempt of several tasks failed. */
const consequences: readonly EndReason[] = ['finished', 'peer_failed']

/**
 * Decides how an attempt ended when all its tasks have ended. It completed if all tasks did. Otherwise the first task
 * that failed decides, and the detail names it. A program also fails because a peer is gone, so an exit code counts
 * only if no other task ended for an earlier cause of its own.
 */
export function judgeAttempt(tasks: readonly EndedTask[], cancel: Cancel | null): Outcome {
  const [only] = tasks
  if (!only) throw new Error('An attempt ended without tasks.')
  if (tasks.length === 1) {
    return cancel && yieldsToCancel(only) ? cancelled(cancel) : outcomeOf(only)
  }
  if (tasks.every(({ reason }) => reason === 'finished'))
    return { ...outcomeOf(only), detail: notesOf(tasks) }
  const first = firstToFail(tasks)
  if (cancel && cancel.at <= first.endedAt) return cancelled(cancel)
  const preempted = tasks.some(({ preemptedAt }) => preemptedAt !== null && preemptedAt <= first.endedAt)
  if (preempted) return { reason: 'preempted', detail: null, exitCode: null }
  const cause = first.reason === 'exit_code' ? (causeOf(first, tasks) ?? first) : first
  if (cancel && yieldsToCancel(cause)) return cancelled(cancel)
  return { reason: cause.reason, detail: detailOf(cause), exitCode: cause.exitCode }
}

/** Whether a cancelled job ends as cancelled although its task ended for this reason: a pause is no end. */
const yieldsToCancel = ({ reason }: EndedTask) =>
  endReasons[reason].fault === 'system' || reason === 'group_paused'

/** What there is to say about tasks that finished, such as files that were not kept. */
function notesOf(tasks: readonly EndedTask[]): string | null {
  const noted = tasks.filter(({ detail }) => detail !== null).sort((a, b) => a.rank - b.rank)
  const [first] = noted
  if (!first) return null
  const others = noted.length - 1
  const more = others === 0 ? '' : ` ${others} more ${others === 1 ? 'rank has' : 'ranks have'} such a note.`
  return `Rank ${first.rank}: ${first.detail}${more}`
}

function firstToFail(tasks: readonly EndedTask[]): EndedTask {
  const failed = tasks.filter(({ reason }) => !consequences.includes(reason))
  const [first] = inOrder(failed.length > 0 ? failed : tasks.filter(({ reason }) => reason !== 'finished'))
  if (!first) throw new Error('An attempt failed without a failed task.')
  return first
}

/**
 * Finds the task whose end may have made the program of another task fail. After that failure its peers are stopped as
 * `peer_failed`, so any other reason is older. Only a node may be lost at any time.
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
  if (isCancelReason(reason) || reason === 'preempted' || reason === 'group_paused') return null
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
