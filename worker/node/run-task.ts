import type { Lease } from '@/lib/cluster/nodes'
import { type ClaimedTask, Fenced, finishTask, markRunning } from '@/lib/cluster/tasks'
import type { EndReason } from '@/lib/jobs/reasons'
import type { Outcome } from '@/lib/jobs/verdict'
import { logger } from '@/lib/logger'
import { pause } from '../pause'
import {
  type ContainerRef,
  type Exit,
  type OutputChunk,
  type Runtime,
  RuntimeFault,
} from '../runtime/runtime'
import { containerOf } from './container-of'
import { outcomeOf, outcomeOfFault } from './outcome'
import { OutputStore } from './output-store'
import { persist } from './persist'
import { removeTaskDirectory, taskDirectory, writeTaskDirectory } from './task-directory'

export interface TaskHost {
  runtime: Runtime
  lease: Lease
  tasksDirectory: string
  outputLimitBytes: number
  /** Called when a container would not die: the node takes nothing new and the task's GPUs stay held. */
  onKillFailed(task: ClaimedTask): Promise<void>
}

/** Between SIGTERM and SIGKILL. */
const graceMs = 10_000

/**
 * One task from its claim to its verdict. Every step may be tried for the second time: a worker that was killed leaves
 * its container behind, and the next one goes on from there.
 */
export class TaskRun {
  /** Resolves when nothing more will be done for the task here. Never rejects. */
  readonly done: Promise<void>
  readonly #abandoned = new AbortController()
  /** Rejects when the container would not die. */
  readonly #undying: Promise<never>
  #giveUp: (error: unknown) => void = () => {}
  #container: ContainerRef | undefined
  #started: boolean
  #stoppedFor: EndReason | null = null

  constructor(
    readonly host: TaskHost,
    readonly task: ClaimedTask,
    existing?: ContainerRef,
  ) {
    this.#container = existing
    this.#started = existing !== undefined && existing.state !== 'created'
    this.#undying = new Promise((_, reject) => {
      this.#giveUp = reject
    })
    this.#undying.catch(() => {})
    this.done = this.#run()
  }

  /** Stops the container for a reason, which becomes the verdict's unless there was one before. */
  stop(reason: EndReason): void {
    if (this.#stoppedFor) return
    this.#stoppedFor = reason
    if (this.#container && this.#started) this.#kill(this.#container)
  }

  /** Fenced off: nothing more is written. The container is left to whoever owns it now. */
  abandon(): void {
    this.#abandoned.abort()
  }

  async #run(): Promise<void> {
    const { task } = this
    try {
      const { outcome, keepGpus } = await this.#conclude()
      if (this.#abandoned.signal.aborted) return
      await persist(this.#abandoned.signal, 'verdict', () =>
        finishTask(this.host.lease, task, outcome, keepGpus),
      )
      if (!keepGpus) await this.#cleanUp()
    } catch (error) {
      if (this.#abandoned.signal.aborted) return
      if (error instanceof Fenced) {
        logger.warn({ task: task.id }, 'fenced off from a task; its container is stopped')
        await this.#cleanUp()
        return
      }
      logger.error(
        { err: error, task: task.id },
        'could not clean up after a task; the next look tries again',
      )
    }
  }

  async #conclude(): Promise<{ outcome: Outcome; keepGpus: boolean }> {
    try {
      const outcome = await Promise.race([this.#runContainer(), this.#undying])
      return { outcome, keepGpus: false }
    } catch (error) {
      if (error instanceof Fenced) throw error
      const undying = error instanceof RuntimeFault && error.code === 'kill_failed'
      if (undying) await this.host.onKillFailed(this.task)
      if (this.#stoppedFor) {
        const detail = undying ? 'Its container would not die; an admin has been told.' : null
        return { outcome: { reason: this.#stoppedFor, detail, exitCode: null }, keepGpus: undying }
      }
      logger.error({ err: error, task: this.task.id }, 'task failed for a reason of the system')
      return { outcome: outcomeOfFault(error), keepGpus: false }
    }
  }

  async #runContainer(): Promise<Outcome> {
    const output = new OutputStore(
      this.host.lease,
      this.task,
      this.host.outputLimitBytes,
      this.#abandoned.signal,
    )
    const stream = await this.#open()
    if (!stream) return { reason: this.#stoppedFor ?? 'internal_error', detail: null, exitCode: null }
    const leftMs = Math.max(0, this.task.timeLimitS - this.task.ranSeconds) * 1000
    const timeLimit = setTimeout(() => this.stop('timeout'), leftMs)
    try {
      const exit = await this.#follow(stream.container, stream.output, output)
      await output.end()
      return outcomeOf(exit, this.#stoppedFor, this.task.memoryMib)
    } finally {
      clearTimeout(timeLimit)
    }
  }

  /** Brings the container to run, wherever an earlier worker left it. Null when it was stopped before its start. */
  async #open(): Promise<{ container: ContainerRef; output: AsyncIterable<OutputChunk> } | null> {
    const { runtime, lease, tasksDirectory } = this.host
    const directory = taskDirectory(tasksDirectory, this.task.id)
    await writeTaskDirectory(directory, this.task)
    const imageDigest = await this.#whenReachable(() => runtime.ensureImage(this.task.image))
    const spec = containerOf(this.task, lease, directory)
    const container = this.#container ?? (await this.#whenReachable(() => runtime.create(spec)))
    this.#container = container
    if (this.#stoppedFor && !this.#started) return null
    const opening = this.#started
      ? this.#whenReachable(() => runtime.replay(container))
      : runtime.start(container)
    this.#started = true
    // Told to the database while the engine starts the container: neither waits for the other.
    const telling = persist(this.#abandoned.signal, 'start', () => markRunning(lease, this.task, imageDigest))
    const [opened, told] = await Promise.allSettled([opening, telling])
    if (opened.status === 'rejected') throw opened.reason
    if (told.status === 'rejected') throw told.reason
    if (this.#stoppedFor) this.#kill(container)
    return { container, output: opened.value }
  }

  /** Reads the output to its end. An engine that goes away meanwhile is waited for, and read again from the start. */
  async #follow(
    container: ContainerRef,
    first: AsyncIterable<OutputChunk>,
    output: OutputStore,
  ): Promise<Exit> {
    for (let stream = first; ; ) {
      try {
        for await (const chunk of stream) {
          await output.take(chunk)
          if (output.limitReached) this.stop('output_limit')
        }
        return await this.host.runtime.wait(container)
      } catch (error) {
        if (!isUnreachable(error)) throw error
        stream = await this.#whenReachable(() => this.host.runtime.replay(container))
        output.startOver()
      }
    }
  }

  /** Asks the engine, and asks again for as long as it does not answer: it is being restarted, and the job waits. */
  async #whenReachable<T>(ask: () => Promise<T>): Promise<T> {
    for (let told = false; ; told = true) {
      try {
        return await ask()
      } catch (error) {
        if (!isUnreachable(error) || (this.#stoppedFor && !this.#started)) throw error
        if (!told) logger.warn({ task: this.task.id }, 'the container engine does not answer; waiting for it')
        await pause(1_000, this.#abandoned.signal)
        if (this.#abandoned.signal.aborted) throw new Fenced(this.task.id)
      }
    }
  }

  /** Kills the container. That it exits is seen by {@link #follow}; that it would not, by {@link #undying}. */
  #kill(container: ContainerRef): void {
    const grace = this.#stoppedFor === 'output_limit' ? 0 : graceMs
    this.#whenReachable(() => this.host.runtime.stop(container, grace)).catch((error: unknown) =>
      this.#giveUp(error),
    )
  }

  async #cleanUp(): Promise<void> {
    if (this.#container) {
      await this.host.runtime.stop(this.#container, 0)
      await this.host.runtime.remove(this.#container)
    }
    await removeTaskDirectory(taskDirectory(this.host.tasksDirectory, this.task.id))
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof RuntimeFault && error.code === 'engine_unreachable'
}
