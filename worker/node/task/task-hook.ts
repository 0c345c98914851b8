import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { EndReason } from '@/lib/contract/reasons'
import type { Outcome } from '@/lib/jobs/state/finish'
import type { ContainerRef, TaskContainer } from '../../runtime/runtime'
import type { NodeContext } from '../node-context'

/**
 * What a feature does for the tasks of a node. Every call may be a repetition, and a call may be of a task that an earlier
 * worker has prepared or started. worker/task-hooks.ts lists the hooks in the order of their calls, which is reversed for `clear`.
 */
export interface TaskHook {
  /**
   * Prepares a task before its container is created, after the hooks before it. Returns what it changes in the container.
   * @throws {TaskFault} and RuntimeFault, which end the attempt, and the reason of `stopping`.
   */
  prestart?(start: TaskStart): Promise<Partial<TaskContainer>>
  /** The container has started, or an earlier worker has started it. Returns what the hook does until its end; null: nothing. */
  started?(run: StartedTask): TaskWatch | null
  /**
   * The container has ended or never started, and the output is stored. Not called after a fault of the system.
   * @returns a sentence for the job about files that were not kept; null if there are none.
   * @throws {Fenced}
   */
  exited?(end: ExitedTask): Promise<string | null>
  /**
   * Removes what the hook has on this node for a task whose container is gone. Called for every task, after the hooks behind this
   * one, also if they failed.
   */
  clear?(taskId: string): Promise<void>
  /** A directory of this host with one entry for each task that may have to be cleared. */
  directory?: string
  /** Works for the node beside its tasks, until `signal` is aborted. */
  serve?(use: NodeUse, signal: AbortSignal): Promise<void>
  /** The node accepts no new tasks, or the last one has ended. Stops working for the node. Never rejects. */
  close?(): Promise<void>
}

/** Creates a hook for a node under one lease. */
export interface MakeTaskHook {
  (node: NodeContext): TaskHook
  /** Prepares what the hooks of all nodes of this machine share, before the first one. */
  open?: () => Promise<void>
}

/** What the hooks share with the tasks of the node. */
export interface NodeUse {
  /** Whether the node takes jobs: before that, a leftover container may hold a GPU. */
  isOpen(): boolean
  /** Called before a hook uses these GPUs for a moment, beside the tasks. */
  onUse(gpuUuids: readonly string[]): void
}

/** A task whose container is to be created. */
export interface TaskStart {
  task: ClaimedTask
  /** As the hooks before this one left it. */
  container: TaskContainer
  /** Aborted when the container is not needed any more. */
  stopping: AbortSignal
  /** Reports progress in the job's output. */
  note: (text: string) => void
  /** Resolves with the container, if there is one, when it has started or will not be started here. Never rejects. */
  opened: Promise<ContainerRef | undefined>
}

/** A task whose container has started. */
export interface StartedTask {
  task: ClaimedTask
  container: ContainerRef
  /** The container ended before this worker found it. */
  isOver: boolean
  /** Aborted when the container has ended, or this worker may do nothing more. */
  running: AbortSignal
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
  /** Writes a message to the job's output. */
  note: (text: string) => void
  /** Stops the container for a reason. */
  stop: (reason: EndReason) => void
}

/** What a hook does while a container runs. */
export interface TaskWatch {
  /**
   * Stores the rest once no process of the task is left. The output is still open.
   * @returns a sentence for the job about what is missing; null if nothing is.
   * @throws {Fenced}
   */
  finish(outcome: Outcome): Promise<string | null>
  /** Stops without storing the rest. */
  close(): void
}

/** A task that has ended, with its outcome so far. */
export interface ExitedTask {
  task: ClaimedTask
  outcome: Outcome
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
}
