import { formatBytes } from '@/lib/contract/format-bytes'
import { failure, type Judgement, notApplicable, ok, warning } from './judgement'

export interface DiskFacts {
  path: string
  freeBytes: number
  freeFiles: number
  /** 0: the file system has no limit. */
  totalFiles: number
}

/** Below this share of free files (inodes), a disk is almost full too. */
const lowFiles = 0.05
const GiB = 1024 ** 3

/**
 * Judges the free space of a disk.
 * @param minimumBytes GPUQ_MIN_FREE_GIB
 * @param use what fails when it is full, as a sentence
 */
export function judgeDisk(disk: DiskFacts, minimumBytes: number, use: string): Judgement {
  const { path, freeBytes, freeFiles, totalFiles } = disk
  const found = `${formatBytes(freeBytes)} free on the disk of ${path}.`
  const action = `Free disk space there. ${use}`
  // An admin may have switched the minimum off, but an empty disk is a problem nevertheless.
  const minimum = Math.max(minimumBytes, GiB)
  if (freeBytes < minimum) return failure(`Only ${found} The minimum is ${formatBytes(minimum)}.`, action)
  if (freeBytes < 2 * minimum) return warning(`Only ${found} The minimum is ${formatBytes(minimum)}.`, action)
  if (totalFiles > 0 && freeFiles < totalFiles * lowFiles)
    return warning(`The disk of ${path} has almost no free inodes: ${freeFiles} of ${totalFiles}.`, action)
  return ok(found)
}

export interface ClockFacts {
  /** This machine's clock minus the database's. */
  offsetMs: number
  /** Half of the round trip: the true offset is within this distance. */
  uncertaintyMs: number
}

const warnMs = 2_000
const failMs = 60_000

/** Judges this machine's clock against the database's; null: the database does not answer. */
export function judgeClock(clock: ClockFacts | null): Judgement {
  if (clock === null) return notApplicable('Not checked: the database does not answer.')
  const { offsetMs, uncertaintyMs } = clock
  const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`
  const certain = Math.abs(offsetMs) - uncertaintyMs
  if (certain <= warnMs)
    return ok(
      `At most ${seconds(Math.abs(offsetMs) + uncertaintyMs)} from the clock of the database, measured with a round trip of ${seconds(2 * uncertaintyMs)}.`,
    )
  const direction = offsetMs > 0 ? 'ahead of' : 'behind'
  const found = `${seconds(Math.abs(offsetMs))} ${direction} the clock of the database (± ${seconds(uncertaintyMs)}).`
  const action =
    'Synchronize the clocks of both machines with NTP, for example with chrony. Leases use the clock of the database only, but the times in the output of jobs are wrong, and a bucket refuses requests of a wrong clock.'
  return (certain > failMs ? failure : warning)(found, action)
}
