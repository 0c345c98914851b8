import type { Readable } from 'node:stream'

/** Where finished results lie. Names are flat; the rest is the store's business. */
export interface ResultStore {
  /** Stores all parts under the name, or nothing at all. The name must be new. */
  write(name: string, parts: AsyncIterable<Uint8Array>): Promise<StoredResult>
  /** Opens a stored result at a byte. The caller reads the stream to its end or destroys it. */
  open(name: string, range?: { start?: number }): Promise<OpenedResult>
  /** Size and checksum of a stored result. */
  measure(name: string): Promise<StoredResult>
  /** Removes a stored result; one that is not there is success. */
  remove(name: string): Promise<void>
  /** Removes what writers that died before the given moment left half written. Gives how many. */
  removeLeftovers(before: Date): Promise<number>
}

export interface StoredResult {
  bytes: number
  sha256: string
}

export interface OpenedResult {
  /** Size of the whole result, wherever the reading starts. */
  bytes: number
  stream: Readable
}

export type ResultStoreFaultCode = 'exists' | 'not_found' | 'no_space' | 'invalid_name' | 'storage_error'

export class ResultStoreFault extends Error {
  constructor(
    readonly code: ResultStoreFaultCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'ResultStoreFault'
  }
}
