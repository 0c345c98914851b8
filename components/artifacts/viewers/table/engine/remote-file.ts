import { formatBytes } from '@/lib/contract/format-bytes'
import { openUrl } from './open-url'
import { TableError } from './table-limits'

interface RemoteFileOptions {
  url: string
  /** Size of the file. */
  bytes: number
  signal: AbortSignal
  /** The most bytes in memory. */
  limit: number
  /** Called with the number of bytes that were read so far. */
  onRead: (bytes: number) => Promise<void>
}

/** A part of a file. */
export interface FilePart {
  /** The position of its first byte in the file. */
  start: number
  content: ArrayBuffer
}

/** A file of this site, of which parts are read when they are needed. */
export class RemoteFile {
  /** The whole file, if the server or a proxy ignores ranges. */
  #whole: FilePart | null = null
  #read = 0

  constructor(private readonly options: RemoteFileOptions) {}

  /**
   * Reads the bytes from `start` up to `end`.
   * @throws TableError if they are too many, not in the file, or if the connection breaks
   */
  async read(start: number, end: number): Promise<FilePart> {
    const { url, bytes, signal, limit } = this.options
    if (!(start >= 0 && start < end && end <= bytes)) throw new TableError('The file is damaged.')
    if (this.#whole) return this.#whole
    this.#refuse(end - start, limit)
    const response = await openUrl(url, signal, { start, end: end - 1 })
    if (response.status === 206) return { start, content: await this.#download(response, end - start) }
    this.#refuse(bytes, limit)
    this.#whole = { start: 0, content: await this.#download(response, bytes) }
    return this.#whole
  }

  #refuse(length: number, limit: number): void {
    if (length <= limit) return
    throw new TableError(
      `A part of the file has ${formatBytes(length)}. Parts of at most ${formatBytes(limit)} can be shown here. Download it instead.`,
    )
  }

  /** Reads an answer of a known size. */
  async #download(response: Response, length: number): Promise<ArrayBuffer> {
    const buffer = new Uint8Array(length)
    const reader = response.body?.getReader()
    let at = 0
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done || value === undefined) break
      buffer.set(value.subarray(0, length - at), at)
      at += value.length
      this.#read += value.length
      await this.options.onRead(Math.min(this.#read, this.options.bytes))
    }
    if (at !== length) throw new TableError('The connection broke while the file was read. Try again.')
    return buffer.buffer
  }
}

/** The bytes of a part from one position in the file up to another. @throws RangeError if they are not in the part */
export function sliceOf({ start, content }: FilePart, from: number, to: number): ArrayBuffer {
  if (!(from >= start && from <= to && to <= start + content.byteLength))
    throw new RangeError('The bytes are not in this part of the file.')
  return content.slice(from - start, to - start)
}
