import type { Entry } from '@/lib/contract/archives/archive-manifest'
import { isLink } from '@/lib/contract/archives/archive-manifest'
import { type Fingerprint, type FoundFile, isSame } from '../files/safe-walk'

/** What is known of a file in a working directory. */
export interface KnownFile {
  sha256: string
  executable: boolean
  /** Its fingerprint when its content was read; null: it has not been read on this node. */
  as: Fingerprint | null
  /** Bytes of its recorded version; null: the file was uploaded with the job, and has no version. */
  storedBytes: number | null
}

/** Files up to this size are stored at each scan that finds a change, so that logs return while they grow. */
export const smallBytes = 16 << 20
/** A larger file that changes all the time is stored at this rate on average, in bytes per second. */
const largeBytesPerSecond = 8 << 20

interface Scan {
  files: readonly FoundFile[]
  known: ReadonlyMap<string, KnownFile>
  /** What the previous scan found, by path. */
  previous: ReadonlyMap<string, Fingerprint>
  /** When each large file was first found changed, or last stored, in milliseconds. */
  since: ReadonlyMap<string, number>
  /** Monotonic time in milliseconds. */
  now: number
  /** Nobody writes any more. */
  last: boolean
}

interface Changes {
  /** Small files whose content must be read, smallest first. Uploaded files that nobody may have changed come last. */
  small: FoundFile[]
  /** Large files whose content must be read, smallest first. */
  large: FoundFile[]
  /** Large files that are still being written. They wait for another scan. */
  waiting: string[]
  /** Recorded files that two scans did not find. */
  deleted: string[]
}

/** Decides which files of a scan are read now, and which recorded files the program has deleted. */
export function chooseChanges({ files, known, previous, since, now, last }: Scan): Changes {
  const changed = files
    .filter((file) => !isSame(known.get(file.path)?.as, file))
    .map((file) => ({ file, isDoubtful: isUnread(known.get(file.path)) }))
    .toSorted((a, b) => Number(a.isDoubtful) - Number(b.isDoubtful) || a.file.bytes - b.file.bytes)
    .map(({ file }) => file)
  const isDue = (file: FoundFile) =>
    last ||
    isSame(previous.get(file.path), file) ||
    now - (since.get(file.path) ?? now) >= (file.bytes / largeBytesPerSecond) * 1000
  const large = changed.filter(({ bytes }) => bytes > smallBytes)
  const there = new Set(files.map(({ path }) => path))
  const deleted = [...known].flatMap(([path, { storedBytes }]) =>
    storedBytes === null || there.has(path) || (!last && previous.has(path)) ? [] : [path],
  )
  return {
    small: changed.filter(({ bytes }) => bytes <= smallBytes),
    large: large.filter(isDue),
    waiting: large.filter((file) => !isDue(file)).map(({ path }) => path),
    deleted,
  }
}

/** Whether a file was uploaded, and its copy has not been read on this node. */
function isUnread(file: KnownFile | undefined): boolean {
  return file !== undefined && file.as === null && file.storedBytes === null
}

/**
 * Marks the files that nobody has changed since they were copied into the directory, so that they need not be read.
 * @param copyingAtMs a time at which the copy was still running, in milliseconds since 1970. The program started later.
 */
export function markCopied(
  known: ReadonlyMap<string, KnownFile>,
  files: readonly FoundFile[],
  copyingAtMs: number,
): void {
  const untilNs = BigInt(Math.floor(copyingAtMs)) * 1_000_000n
  for (const file of files) {
    const entry = known.get(file.path)
    // Programs cannot set this time.
    if (entry?.as === null && file.ctimeNs < untilNs) entry.as = file
  }
}

/** What is known at the first scan: the uploaded files, and those that this attempt or an earlier one has stored. */
export function initialFiles(
  uploaded: readonly Entry[],
  recorded: readonly { path: string; sha256: string; bytes: number; executable: boolean }[],
): Map<string, KnownFile> {
  const known = new Map<string, KnownFile>()
  for (const entry of uploaded) {
    if (isLink(entry)) continue
    const { path, sha256, executable = false } = entry
    known.set(path, { sha256, executable, as: null, storedBytes: null })
  }
  for (const { path, bytes, sha256, executable } of recorded) {
    known.set(path, { sha256, executable, as: null, storedBytes: bytes })
  }
  return known
}
