import { sleep } from '@/lib/async/sleep'
import { recordPause, recordResume } from '@/lib/cluster/tasks/task-pause'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { logger, traceStep } from '@/lib/logger'
import {
  type ContainerRef,
  type Exit,
  type OutputChunk,
  RuntimeFault,
  type TaskContainer,
  type Usage,
} from '../../runtime/runtime'
import type { NodeContext } from '../node-context'
import { removeEmptyCgroups } from './remove-cgroups'
import type { StopRequest } from './stop-request'
import { cgroupParentOf } from './to-container-spec'

/** Retry interval while the engine is unavailable. */
const engineRetryMs = 1_000

/**
 * Runs one task's container to its end, continuing from any state that an earlier worker left. Waits for an engine
 * that is restarting, then checks what became of the container.
 */
export class ContainerSupervisor {
  /** Rejects if the container could not be killed. */
  readonly killFailed: Promise<never>
  /** Resolves with the container, if there is one, when {@link open} has returned or thrown. */
  readonly opened: Promise<ContainerRef | undefined>
  /** Resolves when its container has ended. */
  readonly ended: Promise<void>
  #giveUp: (error: unknown) => void = () => {}
  #markOpened: (container: ContainerRef | undefined) => void = () => {}
  #markEnded: () => void = () => {}
  #made: TaskContainer | null = null
  #container: ContainerRef | undefined
  /** Set before a start request may have reached the engine. */
  #mayRun: boolean
  /** Whether an earlier start request may still be under way, of this worker or the one before. */
  #mayBeStarting: boolean
  #opened = false

  /** @param requireOwnership throws if this worker may do nothing more to the container. */
  constructor(
    readonly node: NodeContext,
    readonly task: ClaimedTask,
    readonly stopRequest: StopRequest,
    readonly requireOwnership: () => void,
    existing?: ContainerRef,
  ) {
    this.#container = existing
    this.#mayRun = existing !== undefined && existing.state !== 'created'
    this.#mayBeStarting = existing !== undefined
    this.killFailed = new Promise((_, reject) => {
      this.#giveUp = reject
    })
    this.killFailed.catch(() => {})
    this.opened = new Promise((resolve) => {
      this.#markOpened = resolve
    })
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
  }

  /**
   * Starts the container and returns its output, or null if it was stopped before it started. Calls `mayStart` when
   * it has been created and before it starts, and `starting` when it is about to start or was found running.
   */
  async open(
    make: () => Promise<TaskContainer | null>,
    mayStart: () => Promise<boolean> | boolean,
    starting: () => void,
  ): Promise<AsyncIterable<OutputChunk> | null> {
    try {
      for (let engineWasAway = false; ; engineWasAway = true) {
        try {
          if (engineWasAway && this.#mayRun) await this.#find()
          const output = await this.#tryToOpen(make, mayStart, starting)
          traceStep('started', this.task.jobId)
          this.#opened = output !== null
          return output
        } catch (error) {
          if (!isUnreachable(error)) throw error
          if (this.#isStopped && !this.#mayRun) return null
          await this.#engineIsAway()
        }
      }
    } finally {
      this.#markOpened(this.#container)
    }
  }

  async #tryToOpen(
    make: () => Promise<TaskContainer | null>,
    mayStart: () => Promise<boolean> | boolean,
    starting: () => void,
  ): Promise<AsyncIterable<OutputChunk> | null> {
    const { runtime } = this.node
    if (!this.#container) {
      // Once only: a repetition would prepare files that the warm container of the first call does not have.
      this.#made ??= await make()
      if (!this.#made) return null
      this.requireOwnership()
      traceStep('prepared', this.task.jobId)
      this.#container = await runtime.create(this.#made)
      traceStep('assigned', this.task.jobId)
    }
    if (!this.#mayRun && !(await mayStart())) return null
    this.requireOwnership()
    if (!this.#mayRun && this.#isStopped) return null
    starting()
    if (this.#mayRun) return runtime.replay(this.#container, !this.#isStopped)
    this.#mayRun = true
    const again = this.#mayBeStarting
    this.#mayBeStarting = true
    return again ? runtime.startAgain(this.#container) : runtime.start(this.#container)
  }

  /** Only the engine knows whether it received the start request before it became unavailable. */
  async #find(): Promise<void> {
    const containers = await this.node.runtime.list(this.node.lease.nodeId)
    this.#container = containers.find(({ taskId }) => taskId === this.task.id)
    if (!this.#container) throw new RuntimeFault('container_gone', 'Its container disappeared from the node.')
    this.#mayRun = this.#container.state !== 'created'
  }

  /** Reads the output to its end. After an engine failure it waits, then reads again from the start. */
  async follow(
    first: AsyncIterable<OutputChunk>,
    take: (chunk: OutputChunk) => Promise<void>,
    startOver: () => void,
  ): Promise<Exit> {
    const container = this.container
    for (let stream = first; ; ) {
      try {
        for await (const chunk of stream) await take(chunk)
        traceStep('output ended', this.task.jobId)
        const exit = await this.node.runtime.wait(container)
        if (exit.finishedAt !== null)
          traceStep('exited', this.task.jobId, exit.finishedAt.getTime() - performance.timeOrigin)
        traceStep('exit known', this.task.jobId)
        this.#markEnded()
        return exit
      } catch (error) {
        if (!isUnreachable(error)) throw error
        await this.#engineIsAway()
        stream = await this.#whenReachable(() => this.node.runtime.replay(container))
        startOver()
      }
    }
  }

  /** Reads what the container has used so far; null if it is not running. */
  async usage(): Promise<Usage | null> {
    return this.#container ? this.node.runtime.usage(this.#container) : null
  }

  /** Freezes the processes of the container. Recorded in advance, so that a worker that adopts it finds every pause. */
  async pause(): Promise<void> {
    await recordPause(this.node.lease, this.task)
    this.requireOwnership()
    await this.node.runtime.pause(this.container)
  }

  /** Lets the processes of a paused container run again. Recorded afterwards. */
  async resume(): Promise<void> {
    this.requireOwnership()
    await this.node.runtime.resume(this.container)
    await recordResume(this.node.lease, this.task)
  }

  /**
   * Stops the container once it runs. {@link follow} returns its exit; {@link killFailed} rejects if it does not
   * end.
   */
  stop(graceMs: number): void {
    if (!this.#opened) return
    const container = this.container
    this.#whenReachable(() => this.node.runtime.stop(container, graceMs)).catch(this.#giveUp)
  }

  /** Makes sure that nothing runs any more. Returns false if that is not certain. */
  async forceStop(): Promise<boolean> {
    const container = this.#container
    if (!container) return true
    try {
      await this.#whenReachable(() => this.node.runtime.stop(container, 0))
      return true
    } catch (error) {
      this.requireOwnership()
      logger.error({ err: error, container: container.id }, 'could not stop a container')
      return false
    }
  }

  async remove(): Promise<void> {
    if (this.#container) await this.node.runtime.remove(this.#container)
    const parent = cgroupParentOf(this.task)
    if (parent !== null) await removeEmptyCgroups(parent)
    traceStep('removed', this.task.jobId)
  }

  /** Whether the container must not be started any more. */
  get #isStopped(): boolean {
    return this.stopRequest.isStopping
  }

  get container(): ContainerRef {
    if (!this.#container) throw new Error('The container was not created.')
    return this.#container
  }

  async #whenReachable<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        if (!isUnreachable(error)) throw error
        await this.#engineIsAway()
      }
    }
  }

  async #engineIsAway(): Promise<void> {
    logger.warn({ task: this.task.id }, 'the container engine does not respond; waiting for it')
    await sleep(engineRetryMs, this.stopRequest.abandoned)
    this.requireOwnership()
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof RuntimeFault && error.code === 'engine_unreachable'
}
