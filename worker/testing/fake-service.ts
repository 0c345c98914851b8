import type { FakeProcess } from './fake-process'

/** A loop of gpuq that runs as a process of its own: the leader's, or the provisioner's. */
export class FakeService {
  readonly #ending = new AbortController()
  readonly #working: Promise<void>
  #ended: Promise<void> | undefined

  constructor(
    private readonly process: FakeProcess,
    work: (signal: AbortSignal) => Promise<void>,
  ) {
    this.#working = process.run(() => work(this.#ending.signal))
  }

  /** As by SIGKILL. */
  async kill(): Promise<void> {
    this.#ended = this.process.kill()
    await this.#ended
  }

  /** As by SIGSTOP, until {@link resume}. */
  suspend(): void {
    this.process.suspend()
  }

  resume(): void {
    this.process.resume()
  }

  /** Resolves when all that it has begun is done, or it was killed. */
  end(): Promise<void> {
    this.#ended ??= this.#finish()
    return this.#ended
  }

  async #finish(): Promise<void> {
    this.#ending.abort()
    await this.#working
    await this.process.exit()
  }
}
