import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { RuntimeFault } from '../runtime'
import type { EngineEvents } from './engine-events'
import { toFault } from './engine-faults'
import type { OpenStream } from './streams'

type Condition = 'not-running' | 'next-exit' | 'removed'

interface WaitOptions {
  condition?: Condition
  signal?: AbortSignal
}

/**
 * Waits for containers to exit. The client's own wait call never returns if the engine dies after sending the
 * headers, which it sends at once. This class reads the response as a stream and detects a broken connection.
 */
export class ContainerExits {
  constructor(
    private readonly open: OpenStream,
    private readonly watch: EngineEvents,
  ) {}

  /** Resolves when the container has exited, immediately if it already has. */
  async until(id: string, options: WaitOptions = {}): Promise<void> {
    await finished((await this.listen(id, options)).resume()).catch((error) => this.fail(id, error, options))
  }

  /**
   * Starts to wait for an exit before the container starts. Resolves once the engine listens, with a function that
   * returns whether the exit came within `ms`. That function throws if the engine was unavailable at any time since.
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

  /** Returns true if the container exits or is removed within `ms`. */
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
    if (fault.code === 'engine_unreachable' && !signal?.aborted) this.watch.interrupt(id)
    throw fault
  }
}
