import type { CheckpointFile } from '@/lib/checkpoints/checkpoint-files'
import { type Fingerprint, type FoundFile, isSame } from '../files/safe-walk'

/** What a task knows of a recorded file. */
export interface KnownFile {
  /** Null: the file was restored, and another task of the attempt has stored a newer version. */
  object: string | null
  /** Its fingerprint in the directory; null: it is missing there. */
  as: Fingerprint | null
}

type Known = ReadonlyMap<string, KnownFile>

interface Choice {
  /** Files to store, in order. If one fails, those after it wait for another batch. */
  take: FoundFile[]
  /** Files to remove from the record if all of `take` is stored. */
  gone: { path: string; object: string }[]
  /** True if every file is unchanged since the scan began and will be in the record. */
  complete: boolean
  /** Known files that the scan did not find. */
  absent: Set<string>
}

/**
 * Chooses the files of a batch: new and changed files in the order of their changes, up to the first that may have
 * changed during the scan. A file that refers to another is therefore never stored before it.
 * A file is removed from the record if two consecutive scans did not find it and all other files are recorded,
 * because a file that is renamed during a scan may be missed under both names.
 * @param steadyBefore start of the scan, minus a safety margin; null: nobody writes any more.
 * @param absentBefore files that the previous scan did not find.
 */
export function chooseBatch(
  files: readonly FoundFile[],
  known: Known,
  { steadyBefore, absentBefore }: { steadyBefore: bigint | null; absentBefore: ReadonlySet<string> },
): Choice {
  const changed = files.filter((file) => !isSame(known.get(file.path)?.as, file)).toSorted(byTime)
  const unsteady = steadyBefore === null ? -1 : changed.findIndex(({ ctimeNs }) => ctimeNs >= steadyBefore)
  const complete = unsteady === -1
  const there = new Set(files.map(({ path }) => path))
  const absent = new Set([...known.keys()].filter((path) => !there.has(path)))
  const surelyGone = [...absent].filter((path) => steadyBefore === null || absentBefore.has(path))
  const gone = surelyGone.flatMap((path) => {
    const object = known.get(path)?.object ?? null
    return object === null ? [] : [{ path, object }]
  })
  return {
    take: complete ? changed : changed.slice(0, unsteady),
    gone: complete ? gone : [],
    complete,
    absent,
  }
}

function byTime(one: FoundFile, other: FoundFile): number {
  if (one.mtimeNs !== other.mtimeNs) return one.mtimeNs < other.mtimeNs ? -1 : 1
  if (one.ctimeNs !== other.ctimeNs) return one.ctimeNs < other.ctimeNs ? -1 : 1
  return one.path < other.path ? -1 : 1
}

/**
 * Returns what a task knows at its first scan, possibly after a worker has died: from the files and the record.
 * Files last changed before `restoredNs` were restored.
 */
export function initialFiles(
  files: readonly FoundFile[],
  recorded: readonly CheckpointFile[],
  restoredNs: bigint,
): Map<string, KnownFile> {
  const known = new Map<string, KnownFile>()
  // Only a peer may remove its own files.
  const own = new Map(recorded.filter(({ by }) => by !== 'peer').map((row) => [row.path, row]))
  for (const [path, { object }] of own) known.set(path, { object, as: null })
  for (const file of files) {
    const row = own.get(file.path)
    const untouched = file.ctimeNs < restoredNs
    const stored = row?.by === 'this' && row.bytes === file.bytes && row.mtimeNs === file.mtimeNs
    if (untouched || stored) known.set(file.path, { object: row?.object ?? null, as: file })
  }
  return known
}
