import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { requireFreeSpace } from '../../storage/free-space'

/** A part of a spool file. */
export interface Segment {
  start: number
  bytes: number
}

/**
 * A file for an upload that cannot be stored before it is complete. It has no name, so that nothing is left
 * when this process is killed.
 */
export class SpoolFile {
  #bytes = 0

  private constructor(readonly handle: FileHandle) {}

  /** Creates the file in a directory of the data directory's disk. */
  static async create(directory: string): Promise<SpoolFile> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const path = join(directory, `.upload-${randomBytes(8).toString('hex')}`)
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
    const handle = await open(path, flags, 0o600)
    await rm(path)
    return new SpoolFile(handle)
  }

  /** Appends a stream. `accept` is called with each size before it is written, and throws if that is too much. */
  async append(stream: AsyncIterable<Uint8Array>, accept: (bytes: number) => void): Promise<Segment> {
    const start = this.#bytes
    for await (const piece of stream) {
      accept(piece.length)
      await requireFreeSpace()
      await this.#write(piece)
    }
    return { start, bytes: this.#bytes - start }
  }

  async *read({ start, bytes }: Segment): AsyncGenerator<Uint8Array> {
    if (bytes === 0) return
    yield* this.handle.createReadStream({
      start,
      end: start + bytes - 1,
      autoClose: false,
      highWaterMark: 256 * 1024,
    }) as AsyncIterable<Buffer>
  }

  /** The first bytes of a segment. */
  async head({ start, bytes }: Segment, most: number): Promise<Buffer> {
    const buffer = Buffer.alloc(Math.min(most, bytes))
    const { bytesRead } = await this.handle.read(buffer, 0, buffer.length, start)
    return buffer.subarray(0, bytesRead)
  }

  async close(): Promise<void> {
    await this.handle.close()
  }

  async #write(piece: Uint8Array): Promise<void> {
    for (let written = 0; written < piece.length; ) {
      const rest = piece.length - written
      const { bytesWritten } = await this.handle.write(piece, written, rest, this.#bytes)
      written += bytesWritten
      this.#bytes += bytesWritten
    }
  }
}
