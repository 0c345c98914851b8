/** A bell that a loop waits on: rings before or while waiting wake it once; silence wakes it after a time. */
export class ChangeSignal {
  #rung = false
  #resolve: (() => void) | undefined

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.notify())
  }

  notify(): void {
    this.#rung = true
    this.#resolve?.()
  }

  /** True when it rang, false when the time was over. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        this.#resolve = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const rang = this.#rung
    this.#resolve = undefined
    this.#rung = false
    return rang
  }
}
