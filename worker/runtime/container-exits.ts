import { finished } from 'node:stream/promises'
import type { OpenStream } from './engine'
import { toFault } from './engine-faults'
import type { EngineWatch } from './engine-watch'
import { RuntimeFault } from './runtime'

interface WaitOptions {
  condition?: 'not-running' | 'removed'
  signal?: AbortSignal
}

/**
 * Waits for containers to end. The client's own call for it never returns when the engine dies after it has sent the
 * headers, which it does at once; so the answer is read here as a stream, whose breaking is noticed.
 */
export class ContainerExits {
  constructor(
    private readonly open: OpenStream,
    private readonly watch: EngineWatch,
  ) {}

  /** Resolves when the container has exited, at once if it already has. */
  async until(id: string, { condition = 'not-running', signal }: WaitOptions = {}): Promise<void> {
    try {
      const answer = await this.open('POST', `/containers/${id}/wait`, { condition }, signal)
      await finished(answer.resume())
    } catch (error) {
      const fault = toFault(error, 'wait for the container')
      if (fault.code === 'engine_unreachable' && !signal?.aborted) this.watch.of(id).interrupted = true
      throw fault
    }
  }

  /** True when the container has exited, or is gone altogether, within `ms`. */
  async within(id: string, ms: number, condition?: WaitOptions['condition']): Promise<boolean> {
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
}
