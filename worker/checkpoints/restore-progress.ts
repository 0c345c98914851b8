/** What takes less time is not worth a line. */
const reportEveryMs = 10_000
const MiB = 1024 * 1024

/** How far the restoring of a run's checkpoints has come, said from time to time where it takes long. */
export class RestoreProgress {
  #bytes = 0
  #files = 0
  #said = performance.now()
  #everSaid = false
  readonly #all: number

  constructor(
    readonly files: readonly { bytes: number }[],
    readonly note: (text: string) => void,
  ) {
    this.#all = files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Bytes that have come; fewer than none where they are to come again. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (performance.now() - this.#said >= reportEveryMs) this.#say()
  }

  endFile(): void {
    this.#files += 1
  }

  /** All is there: whoever has read of the beginning reads of the end. */
  end(): void {
    if (this.#everSaid) this.#say()
  }

  #say(): void {
    this.#said = performance.now()
    this.#everSaid = true
    const size = `${Math.floor(this.#bytes / MiB)} of ${Math.ceil(this.#all / MiB)} MiB`
    this.note(`restoring checkpoints: ${this.#files} of ${this.files.length} files, ${size}`)
  }
}
