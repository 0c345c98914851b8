import { sleep, unlessAborted } from '@/lib/async/sleep'
import type { GpuReading } from '@/lib/cluster/gpus/gpu-reading'
import { finishTask } from '@/lib/cluster/tasks/finish-task'
import type { TaskOrder } from '@/lib/cluster/tasks/task-orders'
import { type ClaimedTask, Fenced, markRunning } from '@/lib/cluster/tasks/tasks'
import { type EndReason, endReasons } from '@/lib/contract/reasons'
import type { Outcome } from '@/lib/jobs/state/finish'
import { logger } from '@/lib/logger'
import type { ContainerRef, OutputChunk } from '../../runtime/runtime'
import { UsageRecorder } from '../gpus/usage-recorder'
import { retryWrite } from '../lease/retry-write'
import type { NodeContext } from '../node-context'
import { waitForPeers, warnPeers } from './barrier'
import { ContainerSupervisor } from './container-supervisor'
import { type Conclusion, isExternalEnd, outcomeOf, outcomeOfFault, unwatchedRun } from './outcome'
import { OutputWriter } from './output-writer'
import { prepareTask } from './prepare-task'
import { stopNotes } from './stop-note'
import { StopRequest } from './stop-request'
import type { TaskHooks } from './task-hooks'
import { TaskPause } from './task-pause'
import { watchUsage } from './watch-usage'

/** An engine that shuts down answers for a moment after it has ended the containers. */
const shutdownMs = 1_000
/** Retry interval for a container that could not be killed. */
const killRetryMs = 5_000

/**
 * Runs one task from its claim to its end. Every step may be a repetition: a worker that was killed leaves its
 * container, and the next worker continues from there.
 */
export class TaskRun {
  /** Resolves when nothing more will be done for the task here. Never rejects. */
  readonly done: Promise<void>
  readonly #abandoned = new AbortController()
  readonly #supervisor: ContainerSupervisor
  readonly #stop: StopRequest
  readonly #usage: UsageRecorder
  readonly #pause: TaskPause
  readonly #claimedMs = performance.now()
  #output: OutputWriter | undefined
  #watch: ReturnType<TaskHooks['started']> | undefined

  /** @param onKillFailed the container could not be killed: the node accepts no new tasks, and the GPUs stay held. */
  constructor(
    readonly node: NodeContext,
    readonly hooks: TaskHooks,
    readonly task: ClaimedTask,
    readonly onKillFailed: () => Promise<void>,
    readonly existing?: ContainerRef,
  ) {
    this.#stop = new StopRequest(node.lease, task, this.#abandoned.signal)
    const requireOurs = () => this.#requireOurs()
    this.#supervisor = new ContainerSupervisor(node, task, this.#stop, requireOurs, existing)
    this.#usage = new UsageRecorder(node.lease, task)
    this.#pause = new TaskPause(task, this.#supervisor, this.#stop, () => this.stop('timeout'))
    // An adopted container may already have been stopped for this reason, so its exit code says nothing.
    if (task.stopReason) this.stop(task.stopReason)
    this.done = this.#run()
  }

  /** Stops the container. The reason becomes the task's reason unless it already has one. */
  readonly stop = (reason: EndReason): void => {
    if (this.#stop.set(reason)) this.#stopContainer()
  }

  /** Stops the container now, and resolves when it has ended. The reason may become known later. */
  async stopLater(reason: Promise<EndReason>, graceMs: number): Promise<void> {
    this.#stop.setLater(reason, graceMs)
    this.#stopContainer()
    await Promise.race([this.#supervisor.ended, this.done])
  }

  /** Does what an event elsewhere demands. Repeat it: a call tries again to pause or resume the container. */
  follow({ reason, suspended }: TaskOrder): void {
    if (reason !== null) this.stop(reason)
    this.#pause.set(suspended)
  }

  /** Accepts a reading of the node's GPUs, by UUID. */
  addSample(readings: ReadonlyMap<string, GpuReading>): void {
    if (!this.#abandoned.signal.aborted && !this.#pause.isPaused) this.#usage.addSample(readings)
  }

  /** Stops all writes after the worker was fenced off. The container is left to its new owner. */
  abandon(): void {
    this.#abandoned.abort()
  }

  #stopContainer(): void {
    if (this.#stop.isStopping) this.#supervisor.stop(this.#stop.graceMs)
  }

  #requireOurs(): void {
    if (this.#abandoned.signal.aborted || !this.node.leaseIsHeld()) throw new Fenced(this.task.id)
  }

  async #run(): Promise<void> {
    const { task } = this
    try {
      const { outcome, keepGpus } = await this.#conclude()
      this.#requireOurs()
      await retryWrite(this.#abandoned.signal, 'verdict', () =>
        finishTask(this.node.lease, task, outcome, keepGpus),
      )
      if (keepGpus) return
      await this.node.starts.giveWay(this.#abandoned.signal)
      await this.#supervisor.remove()
      await this.hooks.clear(task.id)
    } catch (error) {
      if (this.#abandoned.signal.aborted) return
      // Leaves the container: the next reconciliation knows whether another worker has adopted it.
      if (error instanceof Fenced) logger.warn({ task: task.id }, 'fenced off from a task')
      else
        logger.error(
          { err: error, task: task.id },
          'could not finish a task; retrying at the next reconciliation',
        )
    }
  }

  async #conclude(): Promise<Conclusion> {
    try {
      const outcome = await Promise.race([this.#runContainer(), this.#supervisor.killFailed])
      // Another worker may have adopted the task, with its files.
      this.#requireOurs()
      const exited = { task: this.task, outcome, abandoned: this.#abandoned.signal }
      return { outcome: await this.hooks.exited(exited), keepGpus: false }
    } catch (error) {
      // A retry that is abandoned throws its last error. The container is the next worker's now.
      this.#requireOurs()
      if (error instanceof Fenced) throw error
      logger.error({ err: error, task: this.task.id }, 'a task failed because of a system fault')
      return this.#concludeFault(error)
    }
  }

  /**
   * A final status releases the GPUs, and a system fault starts the job again. Both require that its container is certainly gone.
   * Exception: if the user cancelled the job or it exceeded its limits, the status does not wait for a container that could not be killed.
   */
  async #concludeFault(error: unknown): Promise<Conclusion> {
    for (let reported = false; ; reported = true) {
      const dead = await this.#supervisor.forceStop()
      if (isExternalEnd(error)) await sleep(shutdownMs, this.#abandoned.signal)
      const engineOutage = await this.node.runtime.hadOutage(this.#claimedMs)
      await this.#stop.decided
      const { reason } = this.#stop
      // If peers of a removed container fail as a result and stop it, the removal is still the cause.
      const stopped = reason !== null && !(reason === 'peer_failed' && isExternalEnd(error))
      const outcome = stopped ? { reason, detail: null, exitCode: null } : outcomeOfFault(error, engineOutage)
      if (dead) return { outcome: await this.#finishWatch(outcome), keepGpus: false }
      if (!reported) await retryWrite(this.#abandoned.signal, 'drain', () => this.onKillFailed())
      if (endReasons[outcome.reason].fault !== 'system') {
        this.#watch?.close()
        const detail = 'Its container could not be killed. An admin has been notified.'
        return { outcome: { ...outcome, detail }, keepGpus: true }
      }
      await sleep(killRetryMs, this.#abandoned.signal)
      this.#requireOurs()
    }
  }

  async #runContainer(): Promise<Outcome> {
    const { task, existing } = this
    const { lease, outputLimitBytes } = this.node
    const abandoned = this.#abandoned.signal
    const store = new OutputWriter(lease, task, outputLimitBytes, abandoned)
    this.#output = store
    const output = await this.#open()
    if (!output) {
      await this.#stop.decided
      return { reason: this.#stop.reason ?? 'internal_error', detail: null, exitCode: null }
    }
    const isOver = existing?.state === 'exited'
    if (!isOver) this.#pause.begin()
    this.#usage.recordTo(store)
    const ended = new AbortController()
    const running = AbortSignal.any([ended.signal, abandoned])
    watchUsage(lease, task.id, () => this.#supervisor.usage(), running)
    this.#watch = this.hooks.started({
      task,
      container: this.#supervisor.container,
      isOver,
      running,
      abandoned,
      note: this.#note,
      stop: this.stop,
    })
    const take = async (chunk: OutputChunk) => {
      this.#requireOurs()
      await store.write(chunk)
      if (store.limitReached) this.stop('output_limit')
    }
    try {
      const exit = await this.#supervisor.follow(output, take, () => store.restartReplay())
      this.#pause.end()
      await this.#stop.stored
      const unwatched = isOver ? unwatchedRun(task, exit, this.#claimedMs) : null
      const outcome = outcomeOf(exit, this.#stop.reason, task.memoryMib, unwatched)
      for (const text of stopNotes(outcome, task)) store.addNote(text)
      await warnPeers(lease, task, outcome, abandoned)
      const recorded = await this.#finishWatch(outcome)
      await store.end()
      return recorded
    } finally {
      // After a fault, the task may end before the traceback has waited long enough.
      store.releaseTraceback()
      this.#pause.end()
      ended.abort()
    }
  }

  async #finishWatch(outcome: Outcome): Promise<Outcome> {
    return (await this.#watch?.finish(outcome)) ?? outcome
  }

  readonly #note = (text: string): void => this.#output?.addNote(text)

  /** Starts the container and reports it. Returns null if the task was stopped before that. */
  async #open(): Promise<AsyncIterable<OutputChunk> | null> {
    const { lease, runtime, starts } = this.node
    const { signal: stopping } = this.#stop
    const start = { task: this.task, stopping, note: this.#note, opened: this.#supervisor.opened }
    let digest: Promise<string | null> = Promise.resolve(null)
    let telling: Promise<void> | undefined
    const make = async () => {
      // A pull may take many minutes.
      digest = unlessAborted(runtime.ensureImage(this.task.image), stopping)
      digest.catch(() => {})
      const container = await prepareTask(this.node, this.hooks, start)
      // A warm container is assigned meanwhile, which compares the digests.
      if (container === null || (!container.warm && (await digest) === null)) return null
      return { ...container, digest }
    }
    // Writes to the database while the engine starts the container, so that neither waits for the other.
    const mayStart = () => this.task.instances === 1 || waitForPeers(lease, this.task, stopping)
    const starting = () => {
      const tell = async () => markRunning(lease, this.task, await digest)
      telling ??= retryWrite(this.#abandoned.signal, 'start', tell)
      telling.catch(() => {})
    }
    const endStart = starts.begin()
    const output = await this.#supervisor.open(make, mayStart, starting).finally(endStart)
    await telling
    this.#stopContainer()
    return output
  }
}
