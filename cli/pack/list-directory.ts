import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inParallel } from '@/lib/async/pool'
import type { Entry, FileEntry } from '@/lib/contract/archives/archive-manifest'
import type { ArchiveLimits } from '@/lib/contract/archives/archives'
import { invalidRequest, notFound, payloadTooLarge } from '@/lib/contract/errors'
import type { Context } from '../context'
import { HashCache } from './hash-cache'
import { formatBytes, Progress } from './progress'
import { type FoundFile, walk } from './walk'

const atOnce = 8
const mostNamed = 5

export interface Listed {
  /** As the user named it. */
  given: string
  /** Absolute path. */
  directory: string
  entries: Entry[]
  bytes: number
  /** A sentence about what is not sent, and why; null if everything is. */
  notSent: string | null
}

/**
 * Lists the files of a directory for the server.
 *
 * @throws GpuqError before reading any content if the directory exceeds the limits.
 */
export async function listDirectory(
  context: Context,
  given: string,
  limits: ArchiveLimits,
  quiet: boolean,
  mayBeEmpty = false,
): Promise<Listed> {
  const directory = resolve(given)
  const { files, links, leftOut } = await walk(directory)
  const bytes = files.reduce((sum, { stats }) => sum + stats.size, 0)
  const notSent = leftOut.describe()
  if (files.length + links.length > 0 || !mayBeEmpty)
    requireWithin(limits, given, files, files.length + links.length, bytes, notSent)
  const cache = await HashCache.open(context.env, directory)
  const known = files.map((file) => ({ ...file, hash: cache.find(file.path, file.stats) }))
  const unread = known.filter(({ hash }) => hash === null)
  const totalBytes = unread.reduce((sum, { stats }) => sum + stats.size, 0)
  const progress = quiet ? null : new Progress(context.terminal, 'reading', totalBytes)
  const entries: Entry[] = [...links]
  await inParallel(known, atOnce, async ({ path, stats, hash }) => {
    entries.push(await toEntry(directory, path, stats, hash, cache, progress))
  })
  await progress?.end()
  await cache.save()
  return { given, directory, entries, bytes, notSent }
}

async function toEntry(
  directory: string,
  path: string,
  stats: Stats,
  known: string | null,
  cache: HashCache,
  progress: Progress | null,
): Promise<FileEntry> {
  // The owner's execute bit, as in git.
  const executable = (stats.mode & 0o100) !== 0 && ({ executable: true } as const)
  if (known !== null) return { path, bytes: stats.size, sha256: known, ...executable }
  const readAt = Date.now()
  const { sha256, bytes } = await hashFile(join(directory, path), progress)
  if (bytes === stats.size) cache.keep(path, stats, sha256, readAt)
  return { path, bytes, sha256, ...executable }
}

async function hashFile(path: string, progress: Progress | null): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path).catch((error: unknown) => {
    throw notFound(`Cannot read ${path}.`, { cause: error })
  })
  const pieces = file.createReadStream({ highWaterMark: 1024 * 1024 })
  for await (const piece of pieces as AsyncIterable<Buffer>) {
    hash.update(piece)
    bytes += piece.length
    await progress?.add(piece.length)
  }
  return { sha256: hash.digest('hex'), bytes }
}

function requireWithin(
  limits: ArchiveLimits,
  given: string,
  files: readonly FoundFile[],
  entries: number,
  bytes: number,
  notSent: string | null,
): void {
  const advice = 'List files that the job does not need in .gitignore or .gpuqignore.'
  if (entries === 0)
    throw invalidRequest(`${given} contains no files to send.${notSent === null ? '' : ` ${notSent}`}`)
  if (entries > limits.max_entries)
    throw payloadTooLarge(
      `${given} contains ${entries} files, but the limit is ${limits.max_entries}. ${advice}`,
    )
  if (bytes <= limits.max_bytes) return
  const largest = files
    .toSorted((a, b) => b.stats.size - a.stats.size)
    .slice(0, mostNamed)
    .map(({ path, stats }) => `\n  ${formatBytes(stats.size).padStart(9)}  ${path}`)
  throw payloadTooLarge(
    `${given} contains ${formatBytes(bytes)}, but the limit is ${formatBytes(limits.max_bytes)}. ${advice} The largest files:${largest.join('')}`,
  )
}
