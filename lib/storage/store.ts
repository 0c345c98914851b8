import type { Readable } from 'node:stream'

/** The kinds of stored objects; the first segment of every key. */
export const areas = ['results', 'blobs', 'artifacts', 'checkpoints'] as const

/**
 * Stores immutable objects on disk or in a bucket. A key consists of an area and at least one more segment,
 * separated by slashes.
 */
export interface ObjectStore {
  /** Stores all parts under the key, or nothing. Without `overwrite`, the key must be new. */
  write(
    key: string,
    parts: AsyncIterable<Uint8Array>,
    options?: { overwrite?: boolean },
  ): Promise<StoredObject>
  /** Opens an object, or a part of it. The caller must read the stream to its end or destroy it. */
  open(key: string, range?: ByteRange): Promise<OpenedObject>
  /** Reads an object and returns its size and checksum. */
  measure(key: string): Promise<StoredObject>
  has(key: string): Promise<boolean>
  /** Removes an object. Succeeds if it does not exist. */
  remove(key: string): Promise<void>
  /** Lists every object below a prefix of whole segments, in no particular order. */
  list(prefix: string): AsyncIterable<ListedObject>
  /** Removes incomplete objects of writers that died before the given time. Returns their number. */
  removeLeftovers(before: Date): Promise<number>
  /** Checks whether objects can be stored. @throws StorageFault that says what to change. */
  check(): Promise<void>
}

/** A part of an object. `end` is the last byte; without it, the part ends with the object. */
export interface ByteRange {
  start?: number
  end?: number
}

export interface StoredObject {
  bytes: number
  /** What it takes in the store; left out if that is all of `bytes`. A disk does not store blocks of zeros. */
  storedBytes?: number
  /** In hexadecimal. */
  sha256: string
}

export interface OpenedObject {
  /** Size of the whole object, also for a range. */
  bytes: number
  stream: Readable
}

export interface ListedObject {
  key: string
  bytes: number
  /** By the clock of the store. */
  writtenAt: Date
}

export type StorageFaultCode =
  | 'exists'
  | 'not_found'
  | 'no_space'
  | 'invalid_key'
  | 'denied'
  | 'unreachable'
  | 'storage_error'

/** An error of a store. */
export class StorageFault extends Error {
  constructor(
    readonly code: StorageFaultCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'StorageFault'
  }
}

const segment = '[A-Za-z0-9][A-Za-z0-9._-]{0,199}'
const keyPattern = new RegExp(`^(${areas.join('|')})(/${segment}){1,8}$`)
const prefixPattern = new RegExp(`^(${areas.join('|')})(/${segment}){0,8}$`)

/** Returns the key if it is valid. @throws StorageFault for `..`, hidden names, and unknown areas. */
export function checkKey(key: string): string {
  if (!keyPattern.test(key)) throw new StorageFault('invalid_key', 'This is not a valid object key.')
  return key
}

/** Returns the prefix if it is valid: an area, optionally followed by whole segments. */
export function checkPrefix(prefix: string): string {
  if (!prefixPattern.test(prefix)) throw new StorageFault('invalid_key', 'This is not a valid key prefix.')
  return prefix
}
