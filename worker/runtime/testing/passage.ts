import { type Latch, latch } from './latch'

/**
 * The way of a fake process to a server that it depends on. A test can interrupt it as the death, the suspension or the
 * network of a real process would.
 */
export class Passage {
  #state: 'open' | 'refused' | 'held' | 'ended' = 'open'
  #changed: Latch = latch()
  #broken: Latch = latch()

  /** @param refusal makes the error that a call gets while the server is out of reach. */
  constructor(readonly refusal: () => Error) {}

  /** Whether the process lives. */
  get isAlive(): boolean {
    return this.#state !== 'ended'
  }

  /** Runs a call and delivers its result, unless the passage is interrupted before, during or after it. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    await this.untilOpen()
    const broken = this.#broken.opened.then(() => {
      throw this.refusal()
    })
    try {
      const result = await Promise.race([work(), broken])
      await this.untilOpen()
      return result
    } catch (error) {
      await this.untilOpen()
      throw error
    }
  }

  /** Resolves when calls pass. Never resolves for a process that has ended. @throws the refusal. */
  async untilOpen(): Promise<void> {
    while (this.#state !== 'open') {
      if (this.#state === 'refused') throw this.refusal()
      await this.#changed.opened
    }
  }

  /** Fails all calls until {@link open}: the server is out of reach. */
  refuse(): void {
    this.#set('refused')
    this.interrupt()
  }

  /** Delays all calls until {@link open}: the process is suspended. */
  hold(): void {
    this.#set('held')
  }

  open(): void {
    this.#set('open')
  }

  /** Fails the calls that are under way: their connections break. New calls pass. */
  interrupt(): void {
    const broken = this.#broken
    this.#broken = latch()
    broken.open()
  }

  /** No call, also of those under way, ever returns: the process was killed. */
  end(): void {
    this.#set('ended')
  }

  #set(state: 'open' | 'refused' | 'held' | 'ended'): void {
    if (!this.isAlive) return
    this.#state = state
    const changed = this.#changed
    this.#changed = latch()
    changed.open()
  }
}
