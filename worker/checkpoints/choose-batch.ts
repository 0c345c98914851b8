import type { CheckpointFile } from '@/lib/cluster/checkpoints/checkpoint-files'
import type { Fingerprint, FoundFile } from './safe-walk'

/** What a task knows of a file that is in the record. */
export interface KnownFile {
  /** Null: it was in the directory from the beginning, and another task of the attempt has stored a newer one. */
  object: string | null
  /** How it was in the directory; null: it is not there. */
  as: Fingerprint | null
}

type Known = ReadonlyMap<string, KnownFile>

interface Choice {
  /** What is to be stored, in this order. Where one of them cannot be, those after it wait for another round. */
  take: FoundFile[]
  /** What is to leave the record, if all of `take` is stored. */
  gone: { path: string; object: string }[]
  /** Every file is as it was at the beginning of the look, and will be in the record. */
  complete: boolean
  /** What is known and was not found. */
  absent: Set<string>
}

/**
 * What a round takes of the files that were found: what is new or has changed, in the order of the changes, up to the first that
 * was changed too late to be sure of. So what points to something never comes before what it points to.
 *
 * A file leaves the record when it was not found in two looks in a row, and all others are there: one that was given
 * another name in the middle of a look is not seen under either.
 * @param steadyBefore when the look began, with some distance; null: nobody writes any more.
 * @param absentBefore what the look before this one did not find.
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

/** The time of a change of any kind does not count: a second name for a file would have it stored again. */
export function isSame(one: Fingerprint | null | undefined, other: Fingerprint): boolean {
  return (
    one != null &&
    one.bytes === other.bytes &&
    one.mtimeNs === other.mtimeNs &&
    one.inode === other.inode &&
    one.executable === other.executable
  )
}

function byTime(one: FoundFile, other: FoundFile): number {
  if (one.mtimeNs !== other.mtimeNs) return one.mtimeNs < other.mtimeNs ? -1 : 1
  if (one.ctimeNs !== other.ctimeNs) return one.ctimeNs < other.ctimeNs ? -1 : 1
  return one.path < other.path ? -1 : 1
}

/**
 * What a task knows when it first looks, which may be after a worker has died: from the files themselves, and from the
 * record. What was changed last before `restoredNs` is as it was found there.
 */
export function knownAtFirst(
  files: readonly FoundFile[],
  recorded: readonly CheckpointFile[],
  restoredNs: bigint,
): Map<string, KnownFile> {
  const known = new Map<string, KnownFile>()
  // A peer's file is the peer's to take away.
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
