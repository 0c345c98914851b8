import { ChangeSignal } from '@/lib/async/change-signal'
import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { claimTerminalInput } from '@/lib/cluster/tasks/task-terminal'
import { Fenced } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import type { ContainerInput, TerminalSize } from '../../runtime/runtime'

/** The safety net under the notifications. */
const lookEveryMs = 1_000
const retryMs = 1_000
/** Until somebody attaches who says how large theirs is. */
const usualSize: TerminalSize = { columns: 80, rows: 24 }

/** The container behind the terminal, for as long as it runs. */
interface TerminalContainer {
  openInput(): Promise<ContainerInput>
  resize(size: TerminalSize): Promise<void>
}

/**
 * Brings what people type to a running task, and the size of their terminal. A program that does not read holds up its
 * own keys only: no more is taken from the database until the engine has taken what came before.
 */
export class TaskTerminal {
  readonly #wake: ChangeSignal
  #input: ContainerInput | undefined
  #writing = false
  #shown = ''

  constructor(
    readonly lease: Lease,
    readonly taskId: string,
    readonly container: TerminalContainer,
    readonly signal: AbortSignal,
  ) {
    this.#wake = new ChangeSignal(signal)
    signal.addEventListener('abort', () => this.#input?.close())
  }

  /** Something was typed, or may have been. */
  notify(): void {
    this.#wake.notify()
  }

  /** Serves until `signal` ends it, or the task is no longer this worker's. Never rejects. */
  async serve(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        await this.#look()
        await this.#wake.wait(lookEveryMs)
      } catch (error) {
        if (this.signal.aborted || error instanceof Fenced) return
        logger.warn({ err: error, task: this.taskId }, 'the terminal of a task was not served; trying again')
        await sleep(retryMs, this.signal)
      }
    }
  }

  async #look(): Promise<void> {
    const { size, input } = await claimTerminalInput(this.lease, this.taskId, !this.#writing)
    if (input.length > 0) this.#write(input)
    await this.#resize(size ?? usualSize)
  }

  #write(bytes: Buffer): void {
    this.#writing = true
    this.#tryToWrite(bytes)
      .catch((error: unknown) => {
        if (this.signal.aborted) return
        logger.warn({ err: error, task: this.taskId }, 'what was typed did not reach a task')
      })
      .finally(() => {
        this.#writing = false
        this.#wake.notify()
      })
  }

  /** A connection that broke is opened anew for what comes next: whether it has taken these bytes, nobody can tell. */
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
    if (wanted === this.#shown) return
    await this.container.resize(size)
    this.#shown = wanted
  }
}
