import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { RuntimeFault } from '../runtime'
import type { OpenStream } from './engine'
import type { EngineEvents } from './engine-events'
import { toFault } from './engine-faults'

type Condition = 'not-running' | 'next-exit' | 'removed'

interface WaitOptions {
  condition?: Condition
  signal?: AbortSignal
}

/**
 * Waits for containers to end. The client's own call for it never returns when the engine dies after it has sent the
 * headers, which it does at once; so the answer is read here as a stream, whose breaking is noticed.
 */
export class ContainerExits {
  constructor(
    private readonly open: OpenStream,
    private readonly watch: EngineEvents,
  ) {}

  /** Resolves when the container has exited, at once if it already has. */
  async until(id: string, options: WaitOptions = {}): Promise<void> {
    await finished((await this.listen(id, options)).resume()).catch((error) => this.fail(id, error, options))
  }

  /**
   * Begins, before a container's start, to wait for its end. Resolves once the engine listens, with a function that
   * tells whether the end came within `ms` of being asked; it throws when the engine was away at any time since.
   */
  async ahead(id: string, signal: AbortSignal): Promise<(ms: number) => Promise<boolean>> {
    const options: WaitOptions = { condition: 'next-exit', signal }
    const answer = await this.listen(id, options)
    const exited = finished(answer.resume()).then(
      () => true,
      (error) => this.fail(id, error, options),
    )
    exited.catch(() => {})
    return (ms) => Promise.race([exited, sleep(ms, false, { ref: false })])
  }

  /** True when the container has exited, or is gone altogether, within `ms`. */
  async within(id: string, ms: number, condition?: Condition): Promise<boolean> {
    const signal = AbortSignal.timeout(ms)
    try {
      await this.until(id, { signal, ...(condition === undefined ? {} : { condition }) })
      return true
    } catch (error) {
      if (signal.aborted) return false
      if (error instanceof RuntimeFault && error.code === 'container_gone') return true
      throw error
    }
  }

  private listen(id: string, options: WaitOptions): Promise<Readable> {
    const { condition = 'not-running', signal } = options
    return this.open('POST', `/containers/${id}/wait`, { condition }, signal).catch((error) =>
      this.fail(id, error, options),
    )
  }

  private fail(id: string, error: unknown, { signal }: WaitOptions): never {
    const fault = toFault(error, 'wait for the container')
    if (fault.code === 'engine_unreachable' && !signal?.aborted) this.watch.of(id).interrupted = true
    throw fault
  }
}
