import type { Readable } from 'node:stream'

/** What is stored, one name each: the first segment of every key. */
export const rooms = ['results', 'blobs', 'artifacts', 'checkpoints'] as const

/** Where finished things lie: on disk, or in a bucket. A key is a room and at least one segment, with slashes. */
export interface ObjectStore {
  /** Stores all parts under the key, or nothing at all. Without `overwrite` the key must be new. */
  write(
    key: string,
    parts: AsyncIterable<Uint8Array>,
    options?: { overwrite?: boolean },
  ): Promise<StoredObject>
  /** Opens an object at a byte. The caller reads the stream to its end or destroys it. */
  open(key: string, range?: { start?: number }): Promise<OpenedObject>
  /** Size and checksum of a stored object, which is read for it. */
  measure(key: string): Promise<StoredObject>
  has(key: string): Promise<boolean>
  /** Removes an object; one that is not there is success. */
  remove(key: string): Promise<void>
  /** Every object below a prefix of whole segments, in no order. */
  list(prefix: string): AsyncIterable<ListedObject>
  /** Removes what writers that died before the given moment left half written. Gives how many. */
  removeLeftovers(before: Date): Promise<number>
  /** Tries whether anything can be stored at all. @throws StorageFault that says what to change. */
  check(): Promise<void>
}

export interface StoredObject {
  bytes: number
  /** In hexadecimal. */
  sha256: string
}

export interface OpenedObject {
  /** Size of the whole object, wherever the reading starts. */
  bytes: number
  stream: Readable
}

export interface ListedObject {
  key: string
  bytes: number
  /** By the store's clock. */
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

/** What a store says when it cannot do what it was asked for. */
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
const keyPattern = new RegExp(`^(${rooms.join('|')})(/${segment}){1,8}$`)
const prefixPattern = new RegExp(`^(${rooms.join('|')})(/${segment}){0,8}$`)

/** The key as it came. @throws StorageFault for what no store may see: `..`, hidden names, other directories. */
export function checkKey(key: string): string {
  if (!keyPattern.test(key))
    throw new StorageFault('invalid_key', 'This cannot be the key of a stored object.')
  return key
}

/** The prefix as it came: a room alone, or a room and whole segments. */
export function checkPrefix(prefix: string): string {
  if (!prefixPattern.test(prefix))
    throw new StorageFault('invalid_key', 'This cannot be the beginning of a key.')
  return prefix
}
