/** Wakes a loop: notifications before or during a wait end it once, and silence ends it after a time. */
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

  /** True when it was notified, false when the time was over. */
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
