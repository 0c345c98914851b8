import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { idPattern } from '../jobs/schemas'
import {
  type OpenedResult,
  type ResultStore,
  ResultStoreFault,
  type ResultStoreFaultCode,
  type StoredResult,
} from './store'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.jsonl$/
const partPattern = /^\.[A-Za-z0-9][A-Za-z0-9._-]*\.part$/

/** Results as files in one directory, which is made when the first one is written. */
export function diskResultStore(directory: string): ResultStore {
  return {
    write: (name, parts) => writeResultFile(directory, name, parts),
    open: (name, range) => openResultFile(directory, name, range),
    measure: (name) => measureResultFile(directory, name),
    remove: (name) => removeResultFile(directory, name),
    removeLeftovers: (before) => removeLeftovers(directory, before),
  }
}

/** `{user_id}_{competition_id}_{timestamp}.jsonl`. Two jobs of one millisecond share it: on `exists`, ask again later. */
export function resultFileName(userId: string, competitionId: string, at: Date): string {
  for (const id of [userId, competitionId]) {
    if (!idPattern.test(id))
      throw new ResultStoreFault('invalid_name', 'An id cannot be part of a file name.')
  }
  return `${userId}_${competitionId}_${at.toISOString().replace(/[-:]/g, '')}.jsonl`
}

/**
 * Writes beside, syncs, then moves into place: a reader sees the whole file or none, and a power cut after
 * the return loses nothing. Never overwrites. Whatever fails, the half-written part is removed.
 */
export async function writeResultFile(
  directory: string,
  name: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<StoredResult> {
  const path = pathOf(directory, name)
  const part = join(directory, `.${name}.${randomBytes(8).toString('hex')}.part`)
  try {
    await onDisk(mkdir(directory, { recursive: true, mode: 0o700 }))
    const stored = await writePart(part, parts)
    await onDisk(moveToNewName(part, path))
    await onDisk(syncDirectory(directory))
    return stored
  } finally {
    await onDisk(rm(part, { force: true }))
  }
}

/** Opens a result for reading from byte `start` on. */
export async function openResultFile(
  directory: string,
  name: string,
  { start = 0 }: { start?: number } = {},
): Promise<OpenedResult> {
  const file = await onDisk(open(pathOf(directory, name), 'r'), { ...faults, ENOENT: notFound })
  try {
    const { size } = await onDisk(file.stat())
    return { bytes: size, stream: file.createReadStream({ start }) }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function measureResultFile(directory: string, name: string): Promise<StoredResult> {
  const { bytes, stream } = await openResultFile(directory, name)
  const hash = createHash('sha256')
  for await (const part of stream as AsyncIterable<Buffer>) hash.update(part)
  return { bytes, sha256: hash.digest('hex') }
}

async function removeResultFile(directory: string, name: string): Promise<void> {
  await onDisk(rm(pathOf(directory, name), { force: true }))
}

async function removeLeftovers(directory: string, before: Date): Promise<number> {
  let removed = 0
  for (const name of await onDisk(listDirectory(directory))) {
    if (!partPattern.test(name)) continue
    const path = join(directory, name)
    const modified = await onDisk(modifiedAt(path))
    if (modified === null || modified >= before) continue
    await onDisk(rm(path, { force: true }))
    removed++
  }
  return removed
}

async function listDirectory(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Null when it is gone: its writer finished in between. */
async function modifiedAt(path: string): Promise<Date | null> {
  try {
    return (await stat(path)).mtime
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** The parts' own errors pass through as they are: they are not the disk's. */
async function writePart(path: string, parts: AsyncIterable<Uint8Array>): Promise<StoredResult> {
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

/** A rename would overwrite; a hard link refuses to. Disks that know no hard links get the name reserved first. */
async function moveToNewName(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!withoutLinks.has(errorCode(error))) throw error
    const reserved: FileHandle = await open(to, 'wx', 0o600)
    await reserved.close()
    await rename(from, to)
  }
}

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** The new name itself is durable only once its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function pathOf(directory: string, name: string): string {
  if (!namePattern.test(name))
    throw new ResultStoreFault('invalid_name', 'This cannot be the name of a result.')
  return join(directory, name)
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

type Fault = { code: ResultStoreFaultCode; says: string }

const notFound: Fault = { code: 'not_found', says: 'No result of this name is stored.' }
const broken: Fault = { code: 'storage_error', says: 'The disk for results does not work.' }
const faults: Record<string, Fault> = {
  EEXIST: { code: 'exists', says: 'A result of this name is stored already.' },
  ENOSPC: { code: 'no_space', says: 'The disk for results is full.' },
  EDQUOT: { code: 'no_space', says: 'The disk quota for results is used up.' },
}

/** Turns what the file system says into the store's words. */
async function onDisk<Value>(
  operation: Promise<Value>,
  known: Record<string, Fault> = faults,
): Promise<Value> {
  try {
    return await operation
  } catch (cause) {
    const { code, says } = known[errorCode(cause)] ?? broken
    throw new ResultStoreFault(code, says, { cause })
  }
}
