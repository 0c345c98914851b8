import { randomUUID } from 'node:crypto'
import { ChangeSignal } from '@/lib/async/change-signal'
import { logger } from '@/lib/logger'
import type { NodeContext } from '../node/node-context'
import { PrepareFailure } from '../runtime/container-runtime'
import type { TaskContainer, WarmContainer } from '../runtime/runtime'
import { taskUser } from '../runtime/spec/container-spec'
import { requestClassOf, warmName } from '../runtime/spec/warm-spec'
import { ClassDemand } from './class-demand'
import type { WarmLimits } from './plan-warm'
import { PreparedImports } from './prepared-imports'
import { removeLeftovers } from './remove-leftovers'
import { type Waiting, WaitingContainers } from './waiting-containers'
import { createWarmFiles, giveFilesTo, removeWarmFiles, type WarmFiles, warmFiles } from './warm-files'

const checkIntervalMs = 5_000
/** How often leftovers of earlier workers are looked for. */
const sweepIntervalMs = 60_000

/**
 * The warm containers of a node under one lease. Each is used for one task. A task without one starts as if there were
 * none: it waits for nothing here.
 */
export class WarmPool {
  readonly #demand: ClassDemand
  readonly #imports: PreparedImports
  readonly #waiting: WaitingContainers
  /** Reserved by a task, which may not have it yet. By task. */
  readonly #reserved = new Map<string, Waiting>()
  /** Names of all containers that this pool is responsible for. */
  readonly #known = new Set<string>()
  readonly #closing = new AbortController()
  readonly #wake = new ChangeSignal(this.#closing.signal)
  #filling: Promise<unknown> = Promise.resolve()
  /** Removals that no start of a task waits for. They never reject. */
  #removing: Promise<unknown> = Promise.resolve()

  constructor(
    readonly node: NodeContext,
    limits: WarmLimits,
    readonly resultsLimitBytes: number | null,
  ) {
    this.#demand = new ClassDemand(limits)
    this.#imports = new PreparedImports(node, this.#demand)
    this.#waiting = new WaitingContainers(this.#imports)
  }

  /**
   * Reserves a container of the task's class, if there is one, and moves its files to those of the task. Counts as demand
   * in any case. The caller calls {@link settle} when the task has started or will not start.
   */
  async take(task: TaskContainer): Promise<WarmContainer | undefined> {
    const key = await this.#classOf(task)
    if (key === null || this.#closing.signal.aborted) return undefined
    this.#demand.add(key, task)
    this.#wake.notify()
    const found = this.#waiting.take(key)
    if (found === undefined) return undefined
    this.#reserved.set(task.taskId, found)
    const give = () => giveFilesTo(task.taskId, found.files, this.node.tasksDirectory)
    if (await this.#try('give a warm container to a task', give)) return found.container
    this.settle(task.taskId, false)
    return undefined
  }

  async #classOf(task: TaskContainer): Promise<string | null> {
    const { facts } = this.node.runtime
    return requestClassOf(task, task.cgroupParent !== null && (await facts.canUseAnyCgroup()))
  }

  /** A container that was reserved for a task is used by it, or it is removed with all of its class. */
  settle(taskId: string, isUsed: boolean): void {
    this.#wake.notify()
    const found = this.#reserved.get(taskId)
    this.#reserved.delete(taskId)
    if (found === undefined) return
    if (isUsed) {
      this.#known.delete(found.container.name)
      this.#later(this.#try('remove the files of a warm container', () => removeWarmFiles(found.files)))
      return
    }
    const others = [...this.#waiting].filter(({ key }) => key === found.key)
    for (const waiting of [found, ...others]) this.#later(this.#remove(waiting))
  }

  #later(removal: Promise<unknown>): void {
    const earlier = this.#removing
    this.#removing = removal.then(() => earlier)
  }

  /** Keeps as many containers as planned until `signal` is aborted or the pool is closed. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    if (!(await this.#try('ask the engine', () => this.node.runtime.warm.areSupported()))) return
    let sweptMs = Number.NEGATIVE_INFINITY
    while (!stop.aborted) {
      if (performance.now() > sweptMs + sweepIntervalMs) {
        if (await this.#try('look for leftover warm containers', () => this.#sweep()))
          sweptMs = performance.now()
      }
      this.#filling = this.#try('keep warm containers', () => this.#fill(stop))
      await this.#filling
      if (!stop.aborted) await this.#wake.wait(checkIntervalMs)
    }
  }

  /**
   * Removes all containers without a task, and creates no more. Call it again when the tasks have ended: it waits for the
   * removal of what they did not use. Never rejects.
   */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#filling
    await Promise.all([...this.#waiting].map((waiting) => this.#remove(waiting)))
    await this.#removing
    await this.#try('record the warm containers', () => this.#waiting.record(this.node.lease))
  }

  /** Removes what is too much, then creates what is missing, one after the other. */
  async #fill(stop: AbortSignal): Promise<boolean> {
    while (!stop.aborted) {
      const planned = this.#demand.plan()
      const kept = new Map<string, number>()
      for (const waiting of this.#waiting) {
        const count = (kept.get(waiting.key) ?? 0) + 1
        kept.set(waiting.key, count)
        if (count > (planned.get(waiting.key) ?? 0)) await this.#remove(waiting)
      }
      await this.#measure()
      await this.#waiting.record(this.node.lease)
      const missing = [...planned].find(([key, count]) => (kept.get(key) ?? 0) < count)
      if (missing === undefined) break
      await this.node.starts.untilQuiet(stop)
      if (!stop.aborted) await this.#add(missing[0])
    }
    return true
  }

  async #add(key: string): Promise<void> {
    const template = this.#demand.templateOf(key)
    if (template === undefined) return
    const { resultsLimitBytes } = this
    const { runtime, lease, tasksDirectory } = this.node
    const id = randomUUID()
    const name = warmName(id)
    this.#known.add(name)
    const files = warmFiles(tasksDirectory, id, template.results !== null)
    const work = template.work === undefined ? null : files.work
    const task = {
      ...template,
      taskId: id,
      nodeId: lease.nodeId,
      directory: files.job,
      results: files.results,
      ...(work === null ? {} : { work }),
    }
    try {
      const limits = { resultsLimitBytes, workMemoryMib: work === null ? null : task.memoryMib }
      await createWarmFiles(files, tasksDirectory, limits, taskUser(task))
      const container = await runtime.warm.start(task)
      const isReady = container.prepare.length === 0
      const waiting = { id, key, files, container, isReady, memoryMib: null }
      this.#waiting.add(waiting)
      void this.#watch(waiting)
      if (!isReady) void this.#followImports(waiting)
    } catch (error) {
      await this.#clean(name, files)
      if (!(error instanceof PrepareFailure)) {
        this.#demand.refuse(key)
        throw error
      }
      await this.#imports.refuse(key, task, error.message)
    }
  }

  async #followImports(waiting: Waiting): Promise<void> {
    const { signal } = this.#closing
    const isWaiting = () => this.#waiting.has(waiting) && !signal.aborted
    const done = await this.#try('follow the imports of a warm container', () =>
      this.#imports.untilMade(waiting.key, waiting.files.results, isWaiting, signal),
    )
    if (done !== true) return
    waiting.isReady = true
    this.#wake.notify()
  }

  /**
   * An end of a container that waits says that its class does not work here, such as an image without a shell, or that its
   * imports cannot be used.
   */
  async #watch(waiting: Waiting): Promise<void> {
    const { key, container } = waiting
    await this.node.runtime.warm.ended(container).catch(() => {})
    if (!this.#waiting.delete(waiting)) return
    if (container.prepare.length === 0) this.#demand.refuse(key)
    else await this.#try('use the imports of an environment', () => this.#imports.ended(key, container))
    await this.#remove(waiting)
    this.#wake.notify()
  }

  async #measure(): Promise<void> {
    for (const waiting of this.#waiting) {
      const { key, container, isReady } = waiting
      if (!isReady || waiting.memoryMib !== null) continue
      const memoryMib = await this.node.runtime.warm.memoryMib(container)
      waiting.memoryMib = memoryMib
      this.#demand.measured(key, memoryMib)
      if (!(await this.#imports.fit(key, container, memoryMib))) await this.#remove(waiting)
    }
  }

  async #remove(waiting: Waiting): Promise<void> {
    this.#waiting.delete(waiting)
    const { name, id } = waiting.container
    await this.#clean(name, waiting.files, id)
  }

  /** A failure is left to the next {@link #sweep}. */
  async #clean(name: string, files: WarmFiles, containerId?: string): Promise<void> {
    await this.#try('remove a warm container', async () => {
      await this.node.runtime.warm.remove({ name, ...(containerId === undefined ? {} : { id: containerId }) })
      await removeWarmFiles(files)
    })
    this.#known.delete(name)
  }

  async #sweep(): Promise<boolean> {
    const used = new Set([...this.#reserved.values(), ...this.#waiting].map(({ id }) => id))
    await removeLeftovers(this.node, this.#known, used)
    return true
  }

  /** Returns undefined after a failure: jobs start without warm containers. */
  async #try<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      logger.warn({ err: error }, `could not ${what}; jobs start without one`)
      return undefined
    }
  }
}
