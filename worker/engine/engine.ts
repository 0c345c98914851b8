import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { EndReason } from '@/lib/contract/reasons'

/**
 * Decides where and when jobs run. Everything else is the same for every engine: the worker of the node that a job was
 * given runs its container, stores its output and reports its end.
 */
export interface Engine {
  /** Why this worker must not lead, as a sentence; null: it may. */
  findObstacle(): Promise<string | null>
  /** The leader's part: brings waiting jobs to a start, until `signal` is aborted. */
  schedule(signal: AbortSignal): Promise<void>
  /** The part of each node: accepts what the engine starts there, until `signal` is aborted. */
  serve(node: EngineNode, signal: AbortSignal): Promise<void>
}

/** A node as its engine sees it. */
export interface EngineNode {
  name: string
  /** The current lease; null: none now. */
  lease(): Lease | null
  /**
   * Stops the container of an attempt on this node now; its reason may be known later. Resolves when no container of it
   * runs. Does nothing for a task that was not claimed yet.
   */
  stopAttempt(stop: AttemptStop): Promise<void>
}

export interface AttemptStop {
  jobId: string
  attempt: number
  rank: number
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number
  reason: Promise<EndReason>
}

/** Whether a task is the one of that attempt and rank. */
export function isTaskOf(
  task: Pick<AttemptStop, 'jobId' | 'attempt' | 'rank'>,
  { jobId, attempt, rank }: Pick<AttemptStop, 'jobId' | 'attempt' | 'rank'>,
): boolean {
  return task.jobId === jobId && task.attempt === attempt && task.rank === rank
}
