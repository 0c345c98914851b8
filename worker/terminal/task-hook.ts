import { ChangeSignal } from '@/lib/async/change-signal'
import { aborted, sleep } from '@/lib/async/sleep'
import { Fenced } from '@/lib/cluster/tasks/tasks'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { claimTerminalInput } from '@/lib/terminal/claim-input'
import type { NodeContext } from '../node/node-context'
import type { MakeTaskHook } from '../node/task/task-hook'
import type { ContainerInput, ContainerRef, TerminalSize } from '../runtime/runtime'

/** Polling interval, in case a notification is lost. */
const pollIntervalMs = 1_000
const retryMs = 1_000
/** Used until somebody attaches and reports a size. */
const defaultSize: TerminalSize = { columns: 80, rows: 24 }

/** Gives a task its terminal, if its job asks for one. */
export const terminal: MakeTaskHook = (node) => {
  const terminals = new Set<TaskTerminal>()
  return {
    started: ({ task, container, isOver, running }) => {
      if (isOver || !task.spec.tty) return null
      const served = new TaskTerminal(node, task.id, container, running)
      terminals.add(served)
      void served.serve().then(() => terminals.delete(served))
      return null
    },
    serve: async (_use, signal) => {
      // Null: all are notified.
      const stop = await listener().listen('terminal', (taskId) => {
        for (const each of terminals) if (taskId === null || each.taskId === taskId) each.notify()
      })
      await aborted(signal)
      stop()
    },
  }
}

/**
 * Forwards typed input and the terminal size to a running task. A program that does not read delays only its own
 * input: no more is claimed from the database until the engine has accepted the previous input.
 */
class TaskTerminal {
  readonly #wake: ChangeSignal
  #input: ContainerInput | undefined
  #writing = false
  #currentSize = ''

  constructor(
    readonly node: NodeContext,
    readonly taskId: string,
    readonly container: ContainerRef,
    readonly signal: AbortSignal,
  ) {
    this.#wake = new ChangeSignal(signal)
    signal.addEventListener('abort', () => this.#input?.close())
  }

  /** Input may have been typed. */
  notify(): void {
    this.#wake.notify()
  }

  /** Serves until `signal` is aborted or the task no longer belongs to this worker. Never rejects. */
  async serve(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        await this.#poll()
        await this.#wake.wait(pollIntervalMs)
      } catch (error) {
        if (this.signal.aborted || error instanceof Fenced) return
        logger.warn({ err: error, task: this.taskId }, 'could not serve the terminal of a task; retrying')
        await sleep(retryMs, this.signal)
      }
    }
  }

  async #poll(): Promise<void> {
    const { size, input } = await claimTerminalInput(this.node.lease, this.taskId, !this.#writing)
    if (input.length > 0) this.#write(input)
    await this.#resize(size ?? defaultSize)
  }

  #write(bytes: Buffer): void {
    this.#writing = true
    this.#tryToWrite(bytes)
      .catch((error: unknown) => {
        if (this.signal.aborted) return
        logger.warn({ err: error, task: this.taskId }, 'typed input did not reach a task')
      })
      .finally(() => {
        this.#writing = false
        this.#wake.notify()
      })
  }

  /**
   * Opens a new connection for the next input after a failure. The failed bytes are not repeated, because they may
   * have arrived.
   */
  async #tryToWrite(bytes: Buffer): Promise<void> {
    this.#input ??= await this.node.runtime.openInput(this.container)
    if (this.signal.aborted) return this.#input.close()
    try {
      await this.#input.write(bytes)
    } catch (error) {
      this.#input.close()
      this.#input = undefined
      throw error
    }
  }

  async #resize(size: TerminalSize): Promise<void> {
    const wanted = `${size.columns}x${size.rows}`
    if (wanted === this.#currentSize) return
    await this.node.runtime.resize(this.container, size)
    this.#currentSize = wanted
  }
}
