import { createHash, randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  checkKey,
  checkPrefix,
  type ListedObject,
  type ObjectStore,
  type OpenedObject,
  rooms,
  StorageFault,
  type StorageFaultCode,
  type StoredObject,
} from './store'

const partPattern = /^\.[A-Za-z0-9][A-Za-z0-9._-]*\.part$/

/** Objects as files below one directory: a key is a path. Directories are made as they are needed. */
export function diskStore(root: string): ObjectStore {
  // Asynchronous each, so that a wrong key is a rejection as every other fault is.
  return {
    write: async (key, parts, options) => writeObject(root, checkKey(key), parts, options),
    open: async (key, range) => openObject(pathOf(root, key), range),
    measure: async (key) => measureObject(pathOf(root, key)),
    has: async (key) => (await fileStat(pathOf(root, key))) !== null,
    remove: async (key) => removeObject(root, pathOf(root, key)),
    list: (prefix) => listObjects(root, checkPrefix(prefix)),
    removeLeftovers: (before) => removeLeftovers(root, before),
    check: () => checkDirectory(root),
  }
}

function pathOf(root: string, key: string): string {
  return join(root, checkKey(key))
}

/**
 * Writes beside, syncs, then moves into place: a reader sees the whole file or none, and a power cut after
 * the return loses nothing. Whatever fails, the half-written part is removed.
 */
async function writeObject(
  root: string,
  key: string,
  parts: AsyncIterable<Uint8Array>,
  { overwrite = false }: { overwrite?: boolean } = {},
): Promise<StoredObject> {
  const path = join(root, key)
  // In the room's own directory, so that what dead writers left is found without walking through everything.
  const room = join(root, key.slice(0, key.indexOf('/')))
  const part = join(room, `.${basename(key)}.${randomBytes(8).toString('hex')}.part`)
  try {
    await onDisk(makeDirectory(room))
    const stored = await writePart(part, parts)
    await onDisk(moveInto(part, path, overwrite ? rename : moveToNewName))
    await onDisk(syncDirectory(dirname(path)))
    return stored
  } finally {
    await onDisk(rm(part, { force: true }))
  }
}

async function openObject(path: string, { start = 0 }: { start?: number } = {}): Promise<OpenedObject> {
  const file = await onDisk(open(path, 'r'))
  try {
    const { size } = await onDisk(file.stat())
    return { bytes: size, stream: file.createReadStream({ start }) }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function measureObject(path: string): Promise<StoredObject> {
  const { bytes, stream } = await openObject(path)
  const hash = createHash('sha256')
  for await (const part of stream as AsyncIterable<Buffer>) hash.update(part)
  return { bytes, sha256: hash.digest('hex') }
}

/** With the last object of a directory goes the directory: ended jobs would leave millions of empty ones. */
async function removeObject(root: string, path: string): Promise<void> {
  await onDisk(rm(path, { force: true }))
  for (let directory = dirname(path); dirname(directory) !== root; directory = dirname(directory)) {
    const left = await onDisk(rmdir(directory).catch(unless('ENOENT', 'ENOTEMPTY', 'EEXIST')))
    if (left === 'ENOTEMPTY' || left === 'EEXIST') return
  }
}

async function* listObjects(root: string, prefix: string): AsyncGenerator<ListedObject> {
  for (const name of await onDisk(listDirectory(join(root, prefix)))) {
    if (name.startsWith('.')) continue
    const key = `${prefix}/${name}`
    const found = await fileStat(join(root, key))
    if (found === 'directory') yield* listObjects(root, key)
    else if (found !== null) yield { key, bytes: found.size, writtenAt: found.mtime }
  }
}

async function removeLeftovers(root: string, before: Date): Promise<number> {
  let removed = 0
  for (const room of rooms) {
    for (const name of await onDisk(listDirectory(join(root, room)))) {
      if (!partPattern.test(name)) continue
      const path = join(root, room, name)
      const found = await fileStat(path)
      if (found === null || found === 'directory' || found.mtime >= before) continue
      await onDisk(rm(path, { force: true }))
      removed++
    }
  }
  return removed
}

/** That it is there is not enough: it may be of another user, or read-only. */
async function checkDirectory(root: string): Promise<void> {
  const probe = join(root, `.gpuq-writes-here-${randomBytes(8).toString('hex')}`)
  await onDisk(makeDirectory(root))
  await onDisk(writeFile(probe, ''))
  await onDisk(rm(probe, { force: true }))
}

async function listDirectory(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(unless('ENOENT'))
  return typeof names === 'string' ? [] : names
}

/** Null when it is not there, or not any more. */
async function fileStat(path: string): Promise<{ size: number; mtime: Date } | 'directory' | null> {
  const found = await onDisk(stat(path).catch(unless('ENOENT', 'ENOTDIR')))
  if (typeof found === 'string') return null
  return found.isDirectory() ? 'directory' : found
}

/** The parts' own errors pass through as they are: they are not the disk's. */
async function writePart(path: string, parts: AsyncIterable<Uint8Array>): Promise<StoredObject> {
  const file = await onDisk(open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const part of parts) {
      await onDisk(file.writeFile(part))
      hash.update(part)
      bytes += part.length
    }
    await onDisk(file.sync())
  } finally {
    await onDisk(file.close())
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Someone who removes the last object beside it may take the directory away in between: it is made again. */
async function moveInto(
  part: string,
  path: string,
  move: (from: string, to: string) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    await makeDirectory(dirname(path))
    try {
      return await move(part, path)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || tries === 5) throw error
    }
  }
}

/** A rename would overwrite; a hard link refuses to. Disks that know no hard links get the name reserved first. */
async function moveToNewName(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!withoutLinks.has(errorCode(error))) throw error
    const reserved = await open(to, 'wx', 0o600)
    await reserved.close()
    await rename(from, to)
  }
}

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Makes a directory and those above it, durably: each new name is synced in the directory that holds it. */
async function makeDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = directory; made.length >= first.length; made = dirname(made)) {
    await syncDirectory(dirname(made))
  }
}

/** The new name itself is durable only once its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** For `catch`: gives the code of an error that is expected, throws every other. */
function unless(...codes: string[]): (error: unknown) => string {
  return (error) => {
    const code = errorCode(error)
    if (!codes.includes(code)) throw error
    return code
  }
}

const faults: Record<string, { code: StorageFaultCode; message: string }> = {
  ENOENT: { code: 'not_found', message: 'Nothing is stored under this key.' },
  EEXIST: { code: 'exists', message: 'Something is stored under this key already.' },
  ENOSPC: { code: 'no_space', message: 'The disk of the data directory is full.' },
  EDQUOT: { code: 'no_space', message: 'The disk quota of the data directory is used up.' },
}
const broken = { code: 'storage_error', message: 'The disk of the data directory does not work.' } as const

/** Turns what the file system says into the store's words. */
async function onDisk<Value>(operation: Promise<Value>): Promise<Value> {
  try {
    return await operation
  } catch (cause) {
    const { code, message: says } = faults[errorCode(cause)] ?? broken
    throw new StorageFault(code, says, { cause })
  }
}
