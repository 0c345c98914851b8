import { createHash, randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../contract/error-code'
import { SparseWriter } from './sparse-write'
import {
  areas,
  type ByteRange,
  checkKey,
  checkPrefix,
  type ListedObject,
  type ObjectStore,
  type OpenedObject,
  StorageFault,
  type StorageFaultCode,
  type StoredObject,
} from './store'

const partPattern = /^\.[A-Za-z0-9][A-Za-z0-9._-]*\.part$/

/** Stores objects as files below one directory; a key is a relative path. Creates directories as needed. */
export function diskStore(root: string): ObjectStore {
  // All methods are async, so that an invalid key is a rejection like every other fault.
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
 * Writes to a temporary file, syncs it, then moves it into place. A reader sees the complete file or none, and a
 * power failure after the return loses nothing. Removes the temporary file on any failure.
 */
async function writeObject(
  root: string,
  key: string,
  parts: AsyncIterable<Uint8Array>,
  { overwrite = false }: { overwrite?: boolean } = {},
): Promise<StoredObject> {
  const path = join(root, key)
  // In the top directory of its area, so that leftovers are found without walking the whole tree.
  const area = join(root, key.slice(0, key.indexOf('/')))
  const part = join(area, `.${basename(key)}.${randomBytes(8).toString('hex')}.part`)
  try {
    await withDiskFaults(makeDirectory(area))
    const stored = await writePart(part, parts)
    await withDiskFaults(moveInto(part, path, overwrite ? rename : moveToNewName))
    await withDiskFaults(syncDirectory(dirname(path)))
    return stored
  } finally {
    await withDiskFaults(rm(part, { force: true }))
  }
}

async function openObject(path: string, { start = 0, end }: ByteRange = {}): Promise<OpenedObject> {
  const file = await withDiskFaults(open(path, 'r'))
  try {
    const { size } = await withDiskFaults(file.stat())
    return { bytes: size, stream: file.createReadStream({ start, ...(end === undefined ? {} : { end }) }) }
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

/** Also removes directories that become empty; otherwise ended jobs would leave millions of them. */
async function removeObject(root: string, path: string): Promise<void> {
  await withDiskFaults(rm(path, { force: true }))
  for (let directory = dirname(path); dirname(directory) !== root; directory = dirname(directory)) {
    const left = await withDiskFaults(rmdir(directory).catch(expectCodes('ENOENT', 'ENOTEMPTY', 'EEXIST')))
    if (left === 'ENOTEMPTY' || left === 'EEXIST') return
  }
}

async function* listObjects(root: string, prefix: string): AsyncGenerator<ListedObject> {
  for (const name of await withDiskFaults(listDirectory(join(root, prefix)))) {
    if (name.startsWith('.')) continue
    const key = `${prefix}/${name}`
    const found = await fileStat(join(root, key))
    if (found === 'directory') yield* listObjects(root, key)
    else if (found !== null) yield { key, bytes: found.size, writtenAt: found.mtime }
  }
}

async function removeLeftovers(root: string, before: Date): Promise<number> {
  let removed = 0
  for (const area of areas) {
    for (const name of await withDiskFaults(listDirectory(join(root, area)))) {
      if (!partPattern.test(name)) continue
      const path = join(root, area, name)
      const found = await fileStat(path)
      if (found === null || found === 'directory' || found.mtime >= before) continue
      await withDiskFaults(rm(path, { force: true }))
      removed++
    }
  }
  return removed
}

/** Existence is not enough: the directory may belong to another user or be read-only. */
async function checkDirectory(root: string): Promise<void> {
  const probe = join(root, `.gpuq-writes-here-${randomBytes(8).toString('hex')}`)
  await withDiskFaults(makeDirectory(root))
  await withDiskFaults(writeFile(probe, ''))
  await withDiskFaults(rm(probe, { force: true }))
}

async function listDirectory(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(expectCodes('ENOENT'))
  return typeof names === 'string' ? [] : names
}

/** Returns null if the file does not exist or was just removed. */
async function fileStat(path: string): Promise<{ size: number; mtime: Date } | 'directory' | null> {
  const found = await withDiskFaults(stat(path).catch(expectCodes('ENOENT', 'ENOTDIR')))
  if (typeof found === 'string') return null
  return found.isDirectory() ? 'directory' : found
}

/** Passes errors of the parts on unchanged, because they are not disk errors. */
async function writePart(path: string, parts: AsyncIterable<Uint8Array>): Promise<StoredObject> {
  const file = await withDiskFaults(open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  const writer = new SparseWriter(file)
  try {
    for await (const part of parts) {
      await withDiskFaults(writer.write(part))
      hash.update(part)
    }
    await withDiskFaults(writer.end())
    await withDiskFaults(file.sync())
  } finally {
    await withDiskFaults(file.close())
  }
  const { bytes, storedBytes } = writer
  return { bytes, ...(storedBytes < bytes ? { storedBytes } : {}), sha256: hash.digest('hex') }
}

/** Creates the directory again if a concurrent removal of its last object deleted it. */
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

/**
 * Uses a hard link, which fails if the target exists; a rename would overwrite it. On disks without hard links,
 * reserves the name first.
 */
async function moveToNewName(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!withoutLinks.has(errorCode(error) ?? '')) throw error
    const reserved = await open(to, 'wx', 0o600)
    await reserved.close()
    await rename(from, to)
  }
}

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Creates a directory and its parents durably: syncs each new name in its parent directory. */
async function makeDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = directory; made.length >= first.length; made = dirname(made)) {
    await syncDirectory(dirname(made))
  }
}

/** A new name is durable only once its directory is synced. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** For `catch`: returns the code of an expected error, and throws every other error. */
function expectCodes(...codes: string[]): (error: unknown) => string {
  return (error) => {
    const code = errorCode(error) ?? ''
    if (!codes.includes(code)) throw error
    return code
  }
}

const faults: Record<string, { code: StorageFaultCode; message: string }> = {
  ENOENT: { code: 'not_found', message: 'Nothing is stored under this key.' },
  EEXIST: { code: 'exists', message: 'An object is already stored under this key.' },
  ENOSPC: { code: 'no_space', message: 'The disk of the data directory is full.' },
  EDQUOT: { code: 'no_space', message: 'The disk quota of the data directory is used up.' },
}
const broken = {
  code: 'storage_error',
  message: 'The disk of the data directory returned an error. Check the disk and the system log.',
} as const

/** Converts file system errors to storage faults. */
async function withDiskFaults<Value>(operation: Promise<Value>): Promise<Value> {
  try {
    return await operation
  } catch (cause) {
    const { code, message } = faults[errorCode(cause) ?? ''] ?? broken
    throw new StorageFault(code, message, { cause })
  }
}
