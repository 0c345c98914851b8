/** Wakes a loop. A notification before or during a wait ends it; otherwise it ends after a timeout. */
export class ChangeSignal {
  #changed = false
  #wake = () => {}

  /** @param signal wakes the loop when it is aborted. */
  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', this.notify)
  }

  readonly notify = (): void => {
    this.#changed = true
    this.#wake()
  }

  /** True if it was notified, false after the timeout. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const changed = this.#changed
    this.#changed = false
    return changed
  }
}
