import { ChangeSignal } from '@/lib/async/change-signal'
import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { claimTerminalInput } from '@/lib/cluster/tasks/task-terminal'
import { Fenced } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import type { ContainerInput, TerminalSize } from '../../runtime/runtime'
import type { ContainerSupervisor } from './container-supervisor'

/** Polling interval, in case a notification is lost. */
const pollIntervalMs = 1_000
const retryMs = 1_000
/** Used until somebody attaches and reports a size. */
const defaultSize: TerminalSize = { columns: 80, rows: 24 }

/**
 * Forwards typed input and the terminal size to a running task. A program that does not read delays only its own
 * input: no more is claimed from the database until the engine has accepted the previous input.
 */
export class TaskTerminal {
  readonly #wake: ChangeSignal
  #input: ContainerInput | undefined
  #writing = false
  #currentSize = ''

  constructor(
    readonly lease: Lease,
    readonly taskId: string,
    readonly container: ContainerSupervisor,
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
    const { size, input } = await claimTerminalInput(this.lease, this.taskId, !this.#writing)
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
    this.#input ??= await this.container.openInput()
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
    await this.container.resize(size)
    this.#currentSize = wanted
  }
}
