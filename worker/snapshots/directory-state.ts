import { createHash } from 'node:crypto'
import { type BigIntStats, constants, lstat } from 'node:fs'
import { open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inParallel } from '@/lib/async/pool'
import { type Entry, isLink, type Manifest } from '@/lib/contract/archives/archive-manifest'
import { directoriesOf } from '../files/unpack-archive'

const concurrentStats = 32
/** Reading from the disk and hashing need little more than one thread each. */
const concurrentReads = 4
/** The unit of `blocks`, whatever the block size of the file system. */
const statBlockBytes = 512

/** A directory, without what its files contain. */
export interface DirectoryState {
  /**
   * Changes if anything below the directory changes: programs cannot set the time of a file's last change, nor its
   * inode.
   */
  fingerprint: string
  /** What it takes on the disk. */
  bytes: number
  /** All directories: paths relative to the root, which is the empty path. */
  directories: string[]
}

/** Reads the state of a directory, without reading its files. */
export async function readState(root: string): Promise<DirectoryState> {
  const hash = createHash('sha256')
  let blocks = 0n
  const directories: string[] = []
  for (const { path, stats } of await listTree(root)) {
    const { mode, size, mtimeNs, ctimeNs, ino } = stats
    // No path has a NUL.
    hash.update(`${path}\0${mode} ${size} ${mtimeNs} ${ctimeNs} ${ino}\0`)
    blocks += stats.blocks
    if (stats.isDirectory()) directories.push(path)
  }
  return { fingerprint: hash.digest('hex'), bytes: Number(blocks) * statBlockBytes, directories }
}

/** Reads every file below a directory, and returns whether it has exactly the files and links of a manifest. */
export async function hasContent(
  root: string,
  { entries }: Manifest,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  const found = new Map((await listTree(root)).map(({ path, stats }) => [path, stats]))
  const directories = ['', ...directoriesOf(entries)]
  if (found.size !== entries.length + directories.length) return false
  if (!directories.every((path) => found.get(path)?.isDirectory())) return false
  let same = true
  const check = async (entry: Entry) => {
    const path = join(root, entry.path)
    if (same && !(await isEntry(path, entry, found.get(entry.path), signal, onBytes))) same = false
  }
  await inParallel(entries, concurrentReads, check, signal)
  return same
}

async function isEntry(
  path: string,
  entry: Entry,
  stats: BigIntStats | undefined,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  if (isLink(entry)) return stats?.isSymbolicLink() === true && (await readlink(path)) === entry.target
  const mode = entry.executable ? 0o555n : 0o444n
  if (!stats?.isFile() || stats.size !== BigInt(entry.bytes) || (stats.mode & 0o777n) !== mode) return false
  return (await hashFile(path, signal, onBytes)) === entry.sha256
}

interface TreeEntry {
  /** Relative to the root, which is the empty path. */
  path: string
  stats: BigIntStats
}

/** Lists everything below a directory, always in the same order, and follows no link. */
async function listTree(root: string): Promise<TreeEntry[]> {
  const found = await readStats(root, [''])
  for (let level = ['']; level.length > 0; ) {
    const paths: string[] = []
    for (const directory of level) {
      const names = await readdir(join(root, directory))
      for (const name of names.sort()) paths.push(directory === '' ? name : `${directory}/${name}`)
    }
    const entries = await readStats(root, paths)
    for (const entry of entries) found.push(entry)
    level = entries.flatMap(({ path, stats }) => (stats.isDirectory() ? [path] : []))
  }
  return found
}

/** With callbacks, because promises would take twice the CPU time for directories with many files. */
function readStats(root: string, paths: readonly string[]): Promise<TreeEntry[]> {
  return new Promise((resolve, reject) => {
    const entries: TreeEntry[] = new Array(paths.length)
    let next = 0
    let missing = paths.length
    const readNext = () => {
      const index = next++
      const path = paths[index]
      if (path === undefined) return
      lstat(join(root, path), { bigint: true }, (error, stats) => {
        if (error) return reject(error)
        entries[index] = { path, stats }
        missing -= 1
        if (missing === 0) resolve(entries)
        else readNext()
      })
    }
    if (missing === 0) resolve(entries)
    for (let started = 0; started < concurrentStats; started++) readNext()
  })
}

async function hashFile(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  for await (const piece of file.createReadStream({ signal }) as AsyncIterable<Buffer>) {
    hash.update(piece)
    onBytes(piece.length)
  }
  return hash.digest('hex')
}
