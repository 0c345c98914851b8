import type { FileHandle } from 'node:fs/promises'

/** The smallest hole that file systems keep. */
const blockBytes = 4096
const zeros = Buffer.alloc(blockBytes)

/**
 * Writes a new file from its start to its end and leaves out blocks of zeros, which become holes. A sparse file thus
 * takes the space of its data. Readers get the zeros back.
 */
export class SparseWriter {
  /** Size of the file. */
  bytes = 0
  /** Bytes of the file that are data and not holes. */
  storedBytes = 0
  #endsWithHole = false

  constructor(readonly file: FileHandle) {}

  async write(part: Uint8Array): Promise<void> {
    const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    let dataStart = 0
    for (let start = 0; start < buffer.length; ) {
      const end = Math.min(buffer.length, start + blockBytes - ((this.bytes + start) % blockBytes))
      const isHole = zeros.compare(buffer, start, end, 0, end - start) === 0
      if (isHole) {
        await this.#writeData(buffer.subarray(dataStart, start), this.bytes + dataStart)
        dataStart = end
      }
      this.#endsWithHole = isHole
      start = end
    }
    await this.#writeData(buffer.subarray(dataStart), this.bytes + dataStart)
    this.bytes += buffer.length
  }

  /** Gives the file its size if it ends with a hole. */
  async end(): Promise<void> {
    if (this.#endsWithHole) await this.file.truncate(this.bytes)
  }

  async #writeData(data: Buffer, position: number): Promise<void> {
    for (let written = 0; written < data.length; ) {
      const { bytesWritten } = await this.file.write(data, written, data.length - written, position + written)
      written += bytesWritten
    }
    this.storedBytes += data.length
  }
}
