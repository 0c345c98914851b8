import { constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises'

/** What tells whether a file is still the same: a change moves one of these, as far as the program does not hide it. */
export interface Fingerprint {
  bytes: number
  mtimeNs: bigint
  /** When the kernel last saw a change of any kind; no program can set it. */
  ctimeNs: bigint
  inode: bigint
  executable: boolean
}

export interface FoundFile extends Fingerprint {
  /** Relative to the directory, with slashes. */
  path: string
}

/** What is not looked at, and why. */
export interface PassedOver {
  path: string
  why: string
}

interface Found {
  files: FoundFile[]
  passedOver: PassedOver[]
}

/** More entries than are looked at. */
export class TooManyFiles extends Error {}

export const mostPathBytes = 1_024
/** Each level is a descriptor that is held open. */
const mostLevels = 64
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The regular files below a directory that others change meanwhile, and who may be hostile. Each step goes down from a
 * directory that is held open, by a name that may be no link: whatever is put in the place of what, nothing outside is
 * reached. Links, pipes, sockets and devices are passed over, and never opened.
 * @throws TooManyFiles where there are more than `most` of anything.
 */
export async function safeWalk(directory: string, most: number): Promise<Found> {
  const found = { files: [], passedOver: [], left: most }
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
  found: Found & { left: number },
): Promise<void> {
  // Subdirectories last: few descriptors are held for long.
  const inner: Buffer[] = []
  // As Latin-1 a name keeps its bytes, whatever they are.
  for await (const entry of await opendir(inside(directory), { encoding: 'latin1', bufferSize: 256 })) {
    found.left -= 1
    if (found.left < 0) throw new TooManyFiles()
    const name = Buffer.from(entry.name, 'latin1')
    const path = [...names, name]
    const judged = judge(path, entry)
    if (judged.why !== null) found.passedOver.push({ path: judged.path, why: judged.why })
    else if (entry.isDirectory()) inner.push(name)
    else {
      const stats = await ifThere(lstat(inside(directory, name), { bigint: true }))
      if (stats?.isFile()) found.files.push({ path: judged.path, ...fingerprintOf(stats) })
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

/** Its path as text, and why it is not looked at; null: it is. */
function judge(names: Buffer[], entry: Dirent): { path: string; why: string | null } {
  const path = textOf(names)
  if (path === null) {
    return { path: names.map((name) => name.toString('latin1')).join('/'), why: 'its path is not UTF-8' }
  }
  if (Buffer.byteLength(path) > mostPathBytes) {
    return { path, why: `its path is longer than ${mostPathBytes} bytes` }
  }
  if (names.length > mostLevels) return { path, why: `it lies deeper than ${mostLevels} directories` }
  if (!entry.isFile() && !entry.isDirectory()) return { path, why: 'it is not a regular file' }
  return { path, why: null }
}

/** Opens a regular file below a directory in the same way; null where there is none at that path any more. */
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

interface Stats {
  size: bigint
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

/** A program may set a time that no column of a database holds. */
function inRange(ns: bigint): bigint {
  return ns > mostNs ? mostNs : ns < -mostNs ? -mostNs : ns
}

/** Node has no openat: the kernel's link to an open descriptor leads to the directory itself, whatever its path is by now. */
function inside(directory: FileHandle): string
function inside(directory: FileHandle, name: Buffer): Buffer
function inside(directory: FileHandle, name?: Buffer): string | Buffer {
  const held = `/proc/self/fd/${directory.fd}`
  return name === undefined ? held : Buffer.concat([Buffer.from(`${held}/`), name])
}

async function openChild(directory: FileHandle, name: Buffer, flags = 0): Promise<FileHandle | null> {
  return ifThere(open(inside(directory, name), readOnly | flags))
}

/** Gone, or something else by now: a link, or no directory. A socket or a device without a driver cannot be opened. */
const otherByNow = new Set(['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO', 'ENODEV'])

async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && otherByNow.has(String(error.code))) return null
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
