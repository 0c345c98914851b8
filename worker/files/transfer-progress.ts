/** Faster operations are not reported. */
const reportIntervalMs = 10_000
const MiB = 1024 * 1024

/** Reports the progress of a transfer of files at intervals. */
export class TransferProgress {
  #bytes = 0
  #files = 0
  #said = performance.now()
  #everSaid = false
  readonly #all: number

  /** @param doing what is done, such as `restoring checkpoints`. */
  constructor(
    readonly doing: string,
    readonly files: readonly { bytes: number }[],
    readonly note: (text: string) => void,
  ) {
    this.#all = files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Counts received bytes; negative if they have to be read again. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (performance.now() - this.#said >= reportIntervalMs) this.#say()
  }

  endFile(): void {
    this.#files += 1
  }

  /** Reports completion if progress was reported before. */
  end(): void {
    if (this.#everSaid) this.#say()
  }

  #say(): void {
    this.#said = performance.now()
    this.#everSaid = true
    const size = `${Math.floor(this.#bytes / MiB)} of ${Math.ceil(this.#all / MiB)} MiB`
    this.note(`${this.doing}: ${this.#files} of ${this.files.length} files, ${size}`)
  }
}
