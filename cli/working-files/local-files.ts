import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, constants, lstat, open, rename, rm } from 'node:fs/promises'
import { enterParent, nullIfMissing } from '../received/path-below'
import { temporaryBeside } from '../received/save-download'
import type { LocalFile } from './choose-target'

interface Observed {
  local: LocalFile
  /** Null: there is nothing. */
  stats: Stats | null
}

/**
 * Looks at a path below a directory without following links.
 * @throws FileProblem if the path is refused, or a link or a file is in the place of one of its directories.
 */
export async function observe(root: string, path: string): Promise<Observed> {
  const full = await enterParent(root, path, false)
  const stats = full === null ? null : await lstat(full).catch(nullIfMissing)
  if (full === null || stats === null) return { local: { kind: 'missing' }, stats: null }
  if (!stats.isFile()) return { local: { kind: 'other' }, stats }
  return { local: { kind: 'file', sha256: await hashOf(full) }, stats }
}

async function hashOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  const hash = createHash('sha256')
  for await (const piece of file.createReadStream({ highWaterMark: 1 << 20 })) hash.update(piece as Buffer)
  return hash.digest('hex')
}

interface NewContent {
  bytes: number
  sha256: string
  executable: boolean
  parts: AsyncIterable<Uint8Array>
}

/**
 * Replaces a file with new content in one step: a reader sees the old or the new file.
 * @param before what {@link observe} found.
 * @throws FileProblem as {@link observe}.
 * @returns false if the local file or the content changed meanwhile; then nothing was written.
 */
export async function replaceFile(
  root: string,
  path: string,
  before: Stats | null,
  { bytes, sha256, executable, parts }: NewContent,
): Promise<boolean> {
  const full = await enterParent(root, path, true)
  // Another program has just removed the directory.
  if (full === null) return false
  const temporary = temporaryBeside(full)
  try {
    const file = await open(temporary, 'wx', executable ? 0o777 : 0o666)
    const hash = createHash('sha256')
    let written = 0
    try {
      for await (const part of parts) {
        written += part.length
        if (written > bytes) return false
        hash.update(part)
        await file.writeFile(part)
      }
    } finally {
      await file.close()
    }
    if (hash.digest('hex') !== sha256) return false
    if (before?.isFile()) await chmod(temporary, (before.mode & 0o777) | (executable ? 0o100 : 0))
    if (!isSame(before, await lstat(full).catch(nullIfMissing))) return false
    await rename(temporary, full)
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

function isSame(one: Stats | null, other: Stats | null): boolean {
  if (one === null || other === null) return one === other
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  )
}
