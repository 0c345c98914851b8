import { sleep } from '@/lib/async/sleep'
import { logger } from '@/lib/logger'
import {
  type ContainerInput,
  type ContainerRef,
  type Exit,
  type OutputChunk,
  type Runtime,
  RuntimeFault,
  type TaskContainer,
  type TerminalSize,
  type Usage,
} from '../../runtime/runtime'

/** How often an engine that is away is asked again. */
const engineRetryMs = 1_000

interface SupervisorHost {
  runtime: Runtime
  taskId: string
  nodeId: string
  /** Throws when this worker may do nothing more to the container. */
  requireOurs(): void
  /** True when the container is not to be started any more. */
  isStopped(): boolean
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
}

/**
 * One task's container, from wherever an earlier worker left it to its end. An engine that does not answer is being
 * restarted: it is waited for, and asked what has become of the container meanwhile.
 */
export class ContainerSupervisor {
  /** Rejects when the container would not die. */
  readonly killFailed: Promise<never>
  #giveUp: (error: unknown) => void = () => {}
  #container: ContainerRef | undefined
  /** From the moment when a start may have reached the engine. */
  #mayRun: boolean
  #opened = false

  constructor(
    readonly host: SupervisorHost,
    existing?: ContainerRef,
  ) {
    this.#container = existing
    this.#mayRun = existing !== undefined && existing.state !== 'created'
    this.killFailed = new Promise((_, reject) => {
      this.#giveUp = reject
    })
    this.killFailed.catch(() => {})
  }

  /**
   * Brings the container to run, and gives its output. Null when it was stopped before it ever started. `mayStart` is
   * asked once it is there and before it runs; `starting` is called when it is about to run, or was found running.
   */
  async open(
    make: () => Promise<TaskContainer | null>,
    mayStart: () => Promise<boolean> | boolean,
    starting: () => void,
  ): Promise<AsyncIterable<OutputChunk> | null> {
    for (let engineWasAway = false; ; engineWasAway = true) {
      try {
        if (engineWasAway && this.#mayRun) await this.#find()
        const output = await this.#tryToOpen(make, mayStart, starting)
        this.#opened = output !== null
        return output
      } catch (error) {
        if (!isUnreachable(error)) throw error
        if (this.host.isStopped() && !this.#mayRun) return null
        await this.#engineIsAway()
      }
    }
  }

  async #tryToOpen(
    make: () => Promise<TaskContainer | null>,
    mayStart: () => Promise<boolean> | boolean,
    starting: () => void,
  ): Promise<AsyncIterable<OutputChunk> | null> {
    const { runtime } = this.host
    if (!this.#container) {
      const task = await make()
      if (!task) return null
      this.host.requireOurs()
      this.#container = await runtime.create(task)
    }
    if (!this.#mayRun && !(await mayStart())) return null
    this.host.requireOurs()
    if (!this.#mayRun && this.host.isStopped()) return null
    starting()
    if (this.#mayRun) return runtime.replay(this.#container)
    this.#mayRun = true
    return runtime.start(this.#container)
  }

  /** Whether the engine had heard of the start before it went away, only the engine can tell. */
  async #find(): Promise<void> {
    const containers = await this.host.runtime.list(this.host.nodeId)
    this.#container = containers.find(({ taskId }) => taskId === this.host.taskId)
    if (!this.#container) throw new RuntimeFault('container_gone', 'Its container disappeared from the node.')
    this.#mayRun = this.#container.state !== 'created'
  }

  /** Reads the output to its end. An engine that goes away meanwhile is waited for, and read again from the start. */
  async follow(
    first: AsyncIterable<OutputChunk>,
    take: (chunk: OutputChunk) => Promise<void>,
    startOver: () => void,
  ): Promise<Exit> {
    const container = this.#known()
    for (let stream = first; ; ) {
      try {
        for await (const chunk of stream) await take(chunk)
        return await this.host.runtime.wait(container)
      } catch (error) {
        if (!isUnreachable(error)) throw error
        await this.#engineIsAway()
        stream = await this.#whenReachable(() => this.host.runtime.replay(container))
        startOver()
      }
    }
  }

  /** What the container has used until now; null when it does not run. */
  async usage(): Promise<Usage | null> {
    return this.#container ? this.host.runtime.usage(this.#container) : null
  }

  /** The way to what the program reads, for a container with a terminal. */
  openInput(): Promise<ContainerInput> {
    return this.host.runtime.openInput(this.#known())
  }

  resize(size: TerminalSize): Promise<void> {
    return this.host.runtime.resize(this.#known(), size)
  }

  /** Stops the container once it runs. That it exits is seen by {@link follow}; that it would not, by {@link killFailed}. */
  stop(graceMs: number): void {
    if (!this.#opened) return
    const container = this.#known()
    this.#whenReachable(() => this.host.runtime.stop(container, graceMs)).catch(this.#giveUp)
  }

  /** Makes sure that nothing runs any more. False when it cannot be made sure. */
  async forceStop(): Promise<boolean> {
    const container = this.#container
    if (!container) return true
    try {
      await this.#whenReachable(() => this.host.runtime.stop(container, 0))
      return true
    } catch (error) {
      this.host.requireOurs()
      logger.error({ err: error, container: container.id }, 'a container could not be stopped')
      return false
    }
  }

  async remove(): Promise<void> {
    if (this.#container) await this.host.runtime.remove(this.#container)
  }

  #known(): ContainerRef {
    if (!this.#container) throw new Error('the container was not created')
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
    logger.warn({ task: this.host.taskId }, 'the container engine does not answer; waiting for it')
    await sleep(engineRetryMs, this.host.abandoned)
    this.host.requireOurs()
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof RuntimeFault && error.code === 'engine_unreachable'
}
