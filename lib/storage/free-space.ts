import { statfs } from 'node:fs/promises'
import { GpuqError } from '../contract/errors'
import { env } from '../env'

const GiB = 1024 ** 3
/** An answer is kept so long: many submissions ask at once, and a network disk may answer slowly. */
const keptMs = 1_000

/** The disk of the data directory. */
export interface DiskSpace {
  freeBytes: number
  /** GPUQ_MIN_FREE_GIB in bytes. */
  minFreeBytes: number
  /** Less is free than that: gpuq accepts no uploads, and results wait in the database. */
  low: boolean
}

/** Returns the bytes that an unprivileged process may still write to a disk. */
type ReadFreeBytes = (directory: string) => Promise<number>

const readFromSystem: ReadFreeBytes = async (directory) => {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

let readFreeBytes = readFromSystem
let kept: { at: number; space: DiskSpace } | undefined

/** Replaces the reading of the disk in this process, for tests; null: reads the disk again. */
export function setFreeBytes(read: ReadFreeBytes | null): void {
  readFreeBytes = read ?? readFromSystem
  kept = undefined
}

/** Returns the bytes that an unprivileged process may still write to the disk of a directory. */
export function freeBytesOf(directory: string): Promise<number> {
  return readFreeBytes(directory)
}

/** Reads the free space of the data directory's disk. A disk that cannot be read does not count as low. */
export async function diskSpace(): Promise<DiskSpace> {
  const now = performance.now()
  if (kept && now - kept.at < keptMs) return kept.space
  const minFreeBytes = env().GPUQ_MIN_FREE_GIB * GiB
  const freeBytes = await readFreeBytes(env().GPUQ_DATA_DIR).catch(() => Number.POSITIVE_INFINITY)
  const space = { freeBytes, minFreeBytes, low: freeBytes < minFreeBytes }
  kept = { at: now, space }
  return space
}

/** @throws 507 if the disk of the data directory is almost full. What runs may need the rest. */
export async function requireFreeSpace(): Promise<void> {
  if ((await diskSpace()).low) throw lowOnSpace()
}

/** The error for an upload that the disk has no space for. */
export function lowOnSpace(cause?: unknown): GpuqError {
  return new GpuqError(
    'insufficient_storage',
    "The disk of gpuq's server is almost full, so it accepts no new jobs and uploads. Running jobs continue. Try again later, or ask an admin to free disk space.",
    { retryAfterS: 60, cause },
  )
}
