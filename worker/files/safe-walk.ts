import { constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises'
import { errorCode } from '@/lib/contract/error-code'

/** Identifies a version of a file: any change alters one of these, unless the program hides it. */
export interface Fingerprint {
  bytes: number
  mtimeNs: bigint
  /** Time of the last change of any kind; programs cannot set it. */
  ctimeNs: bigint
  inode: bigint
  executable: boolean
}

/** Whether a file is unchanged. Ignores ctime, because a new hard link would otherwise cause another upload. */
export function isSame(one: Fingerprint | null | undefined, other: Fingerprint): boolean {
  return (
    one != null &&
    one.bytes === other.bytes &&
    one.mtimeNs === other.mtimeNs &&
    one.inode === other.inode &&
    one.executable === other.executable
  )
}

export interface FoundFile extends Fingerprint {
  /** Relative to the directory, with slashes. */
  path: string
  /** Bytes that the file takes on the disk. Holes take nothing. */
  dataBytes: number
}

/** A skipped path and the reason. */
export interface SkippedFile {
  path: string
  why: string
}

interface Found {
  files: FoundFile[]
  skipped: SkippedFile[]
}

interface WalkLimits {
  /** Directory entries of all kinds. */
  maxEntries: number
  /** Nested directories: each holds a descriptor open. */
  maxLevels: number
}

/** There are more entries than the limit. */
export class TooManyFiles extends Error {}

export const mostPathBytes = 1_024
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Finds the regular files below a directory that a malicious program may change at the same time. Each step opens a
 * name relative to an open directory without following links, so nothing outside can be reached. Skips links, pipes,
 * sockets and devices without opening them.
 * @throws TooManyFiles for more than `maxEntries`.
 */
export async function safeWalk(directory: string, { maxEntries, maxLevels }: WalkLimits): Promise<Found> {
  const found = { files: [], skipped: [], left: maxEntries, maxLevels }
  const root = await open(directory, readOnly | constants.O_DIRECTORY)
  try {
    await walk(root, [], found)
  } finally {
    await root.close()
  }
  return found
}

async function walk(
  directory: FileHandle,
  names: readonly Buffer[],
  found: Found & { left: number; maxLevels: number },
): Promise<void> {
  // Visits subdirectories last, so that few descriptors stay open for long.
  const inner: Buffer[] = []
  // Latin-1 preserves the bytes of any name.
  for await (const entry of await opendir(inside(directory), { encoding: 'latin1', bufferSize: 256 })) {
    found.left -= 1
    if (found.left < 0) throw new TooManyFiles()
    const name = Buffer.from(entry.name, 'latin1')
    const path = [...names, name]
    const judged = classify(path, entry, found.maxLevels)
    if (judged.why !== null) found.skipped.push({ path: judged.path, why: judged.why })
    else if (entry.isDirectory()) inner.push(name)
    else {
      const stats = await ifThere(lstat(inside(directory, name), { bigint: true }))
      if (stats?.isFile()) {
        found.files.push({ path: judged.path, dataBytes: dataBytesOf(stats), ...fingerprintOf(stats) })
      }
    }
  }
  for (const name of inner) {
    const below = await openChild(directory, name, constants.O_DIRECTORY)
    if (below === null) continue
    try {
      await walk(below, [...names, name], found)
    } finally {
      await below.close()
    }
  }
}

/** Returns a path as text, and why it is skipped; null if it is not. */
function classify(names: Buffer[], entry: Dirent, maxLevels: number): { path: string; why: string | null } {
  const path = textOf(names)
  if (path === null) {
    return { path: names.map((name) => name.toString('latin1')).join('/'), why: 'its path is not UTF-8' }
  }
  if (Buffer.byteLength(path) > mostPathBytes) {
    return { path, why: `its path is longer than ${mostPathBytes} bytes` }
  }
  if (names.length > maxLevels) return { path, why: `it is more than ${maxLevels} directories deep` }
  if (!entry.isFile() && !entry.isDirectory()) return { path, why: 'it is not a regular file' }
  return { path, why: null }
}

/** Opens a regular file below a directory in the same way; null if there is none at that path any more. */
export async function openInside(directory: string, path: string): Promise<FileHandle | null> {
  const names = path.split('/')
  const last = names.pop() ?? ''
  let parent = await open(directory, readOnly | constants.O_DIRECTORY)
  try {
    for (const name of names) {
      const next = await openChild(parent, Buffer.from(name), constants.O_DIRECTORY)
      if (next === null) return null
      await parent.close()
      parent = next
    }
    const file = await openChild(parent, Buffer.from(last))
    if (file === null || (await file.stat()).isFile()) return file
    await file.close()
    return null
  } finally {
    await parent.close()
  }
}

export async function readFingerprint(file: FileHandle): Promise<Fingerprint> {
  return fingerprintOf(await file.stat({ bigint: true }))
}

/** The unit of `blocks`, whatever the block size of the file system. */
const statBlockBytes = 512n

function dataBytesOf({ size, blocks }: Stats): number {
  const allocated = blocks * statBlockBytes
  return Number(allocated < size ? allocated : size)
}

interface Stats {
  size: bigint
  blocks: bigint
  mtimeNs: bigint
  ctimeNs: bigint
  ino: bigint
  mode: bigint
}

function fingerprintOf({ size, mtimeNs, ctimeNs, ino, mode }: Stats): Fingerprint {
  const executable = (mode & 0o100n) !== 0n
  return { bytes: Number(size), mtimeNs: inRange(mtimeNs), ctimeNs, inode: ino, executable }
}

const mostNs = 2n ** 63n - 1n

/** A program may set a time that no database column can store. */
function inRange(ns: bigint): bigint {
  return ns > mostNs ? mostNs : ns < -mostNs ? -mostNs : ns
}

/**
 * Node has no openat. The kernel's link to an open descriptor always leads to that directory, whatever its current
 * path.
 */
function inside(directory: FileHandle): string
function inside(directory: FileHandle, name: Buffer): Buffer
function inside(directory: FileHandle, name?: Buffer): string | Buffer {
  const held = `/proc/self/fd/${directory.fd}`
  return name === undefined ? held : Buffer.concat([Buffer.from(`${held}/`), name])
}

async function openChild(directory: FileHandle, name: Buffer, flags = 0): Promise<FileHandle | null> {
  return ifThere(open(inside(directory, name), readOnly | flags))
}

/** Missing or replaced by a link or another type. Opening a socket or a device without a driver fails. */
const replacedCodes = new Set(['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO', 'ENODEV'])

async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (replacedCodes.has(errorCode(error) ?? '')) return null
    throw error
  }
}

function textOf(names: Buffer[]): string | null {
  try {
    return names.map((name) => strict.decode(name)).join('/')
  } catch {
    return null
  }
}
