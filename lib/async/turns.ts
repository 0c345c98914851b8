import { setImmediate, setTimeout } from 'node:timers/promises'

/** The shortest pause after a turn. */
const minRestMs = 1

/**
 * Lets work that blocks the process for moments happen in turns: one piece at a time, one owner after the other, and after each
 * piece at least as long a pause as it took. So all work in turns takes at most half of the time, whoever asks for how much.
 */
export class Turns {
  /** Those who wait, by owner. The first owner is the next one. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #busy = false

  /**
   * Waits for a turn. It lasts as long as the caller goes on without waiting for a timer, a file or the network.
   * @throws the reason of the signal, if it is aborted first.
   */
  async next(owner: string, signal: AbortSignal): Promise<void> {
    await this.#enter(owner, signal)
    // The piece runs before this, because it waits for none of these.
    void this.#passOn(performance.now(), setImmediate())
  }

  /** Does in one turn what waits for something, such as a query. @throws the reason of the signal, if it is aborted before the turn. */
  async run<Value>(owner: string, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    await this.#enter(owner, signal)
    const working = work()
    void this.#passOn(performance.now(), working)
    return working
  }

  async #enter(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.#busy) {
      this.#busy = true
      return
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#remove(owner, enter)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), enter])
    })
  }

  /** Lets the next one enter after the turn and a pause. */
  async #passOn(began: number, turn: Promise<unknown>): Promise<void> {
    await turn.catch(() => undefined)
    await setTimeout(Math.max(minRestMs, performance.now() - began))
    const [owner, ownWaiting = []] = this.#waiting.entries().next().value ?? []
    const [enter] = ownWaiting
    if (owner === undefined || !enter) {
      this.#busy = false
      return
    }
    this.#remove(owner, enter)
    // The owner waits again behind all others.
    const left = this.#waiting.get(owner)
    if (left) {
      this.#waiting.delete(owner)
      this.#waiting.set(owner, left)
    }
    enter()
  }

  #remove(owner: string, enter: () => void): void {
    const left = (this.#waiting.get(owner) ?? []).filter((one) => one !== enter)
    if (left.length > 0) this.#waiting.set(owner, left)
    else this.#waiting.delete(owner)
  }
}
