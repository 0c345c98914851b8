import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readArchive } from '@/lib/archives/read-archive'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { type Entry, isLink } from '@/lib/contract/archives/archive-manifest'
import { languageOf } from '@/lib/contract/config/program/entrypoint'
import { formatBytes } from '@/lib/contract/format-bytes'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { logger } from '@/lib/logger'
import { uploadedDirectory } from '../archives/prepare-archive'
import { isMounted, removeMemoryDirectory } from '../files/memory-directory'
import { type FoundFile, openInside, safeWalk, TooManyFiles } from '../files/safe-walk'
import type { NodeContext } from '../node/node-context'
import { rewrittenScript } from '../node/task/program/script-program'
import type { ExitedTask } from '../node/task/task-hook'
import { workOf } from './artifacts-directory'
import { retryReasons } from './upload-artifacts'

/** More files and directories are not counted. */
const maxCounted = 20_000
/** Each level holds a descriptor open. */
const maxLevels = 64
/** How many bytes of uploaded files are read to find out whether they have changed. The others count as unchanged. */
const maxReadBytes = 256 << 20

/** What was in a directory before the program started. */
export interface SentFile {
  path: string
  bytes: number
  sha256: string
}

/**
 * Returns what the program left in `/work`, which is deleted now, and frees its memory; null: nothing. Never fails: the result of the
 * job does not depend on it.
 */
export async function describeLeftFiles(
  { tasksDirectory }: NodeContext,
  { task, outcome }: ExitedTask,
): Promise<string | null> {
  const directory = workOf(tasksDirectory, task.id)
  try {
    if (!(await isMounted(directory))) return null
    const left = retryReasons.has(outcome.reason)
      ? null
      : await describeLeft(directory, () => sentFiles(tasksDirectory, task))
    await removeMemoryDirectory(directory)
    return left
  } catch (error) {
    logger.warn({ err: error, task: task.id }, 'could not count the files that a task left in /work')
    return unknown
  }
}

async function sentFiles(tasksDirectory: string, task: ClaimedTask): Promise<SentFile[]> {
  const { archiveId, code, spec } = task
  // Without an uploaded directory, the program is not in /work.
  if (spec.archive === undefined) return []
  const archive = archiveId === null ? null : await readArchive(archiveId)
  const sent = (archive?.manifest.entries ?? []).filter((entry): entry is Entry & SentFile => !isLink(entry))
  const directory = join(tasksDirectory, task.id, uploadedDirectory)
  const script = task.command === null ? await scriptAsRun(directory, spec.entrypoint) : null
  const program = code.length === 0 ? null : sentFile('solution.py', code)
  const written = [script, program].filter((file) => file !== null)
  const paths = new Set(written.map(({ path }) => path))
  return [...sent.filter(({ path }) => !paths.has(path)), ...written]
}

/** A shell script as gpuq has rewritten it: its copy in `/work` differs from the sent one, although the program changed nothing. */
export async function scriptAsRun(uploaded: string, path: string | undefined): Promise<SentFile | null> {
  if (path === undefined || languageOf(path) === 'python') return null
  const script = await openInside(uploaded, path)
  if (script === null) return null
  try {
    if ((await script.stat()).size > maxReadBytes) return null
    return sentFile(path, rewrittenScript(await script.readFile()))
  } finally {
    await script.close()
  }
}

const sentFile = (path: string, content: Buffer): SentFile => ({
  path,
  bytes: content.length,
  sha256: hashOf(content),
})

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/**
 * A sentence about the files that a program created or changed in a directory; null if there are none. Hidden names at the top are
 * left out, because the directory is the home of the program: libraries keep caches there.
 */
export async function describeLeft(
  directory: string,
  sent: () => Promise<readonly SentFile[]>,
  maxEntries = maxCounted,
): Promise<string | null> {
  let files: FoundFile[]
  try {
    files = (await safeWalk(directory, { maxEntries, maxLevels })).files
  } catch (error) {
    if (!(error instanceof TooManyFiles)) throw error
    return `The program left more than ${maxEntries} files and directories in /work, which were not kept. ${advice}`
  }
  const own = files.filter(({ path }) => !/^\.|(?:^|\/)__pycache__\//.test(path))
  const left = own.length === 0 ? [] : await withoutUnchanged(directory, own, await sent())
  const bytes = left.reduce((sum, file) => sum + file.bytes, 0)
  const [largest] = left.toSorted((one, other) => other.bytes - one.bytes)
  if (largest === undefined || bytes === 0) return null
  const name = visibleText(largest.path, 120)
  if (left.length === 1)
    return `The program left 1 file (${formatBytes(bytes)}) in /work, which was not kept: ${name}. ${advice}`
  return (
    `The program left ${left.length} files (${formatBytes(bytes)}) in /work, which were not kept. ` +
    `The largest is ${name} (${formatBytes(largest.bytes)}). ${advice}`
  )
}

const unknown =
  'gpuq could not look for files that the program left in /work, which were not kept. Write files to /results to keep them.'
const advice = 'Write files to /results to keep them.'

/**
 * The files without those that are as they were sent. The uploaded files are copied just before the program starts. So after the first
 * one that is unchanged, from the youngest on, all are: no other one needs to be read.
 */
async function withoutUnchanged(
  directory: string,
  files: readonly FoundFile[],
  sent: readonly SentFile[],
): Promise<FoundFile[]> {
  const sentByPath = new Map(sent.map((file) => [file.path, file]))
  const same = files.filter(({ path, bytes }) => sentByPath.get(path)?.bytes === bytes)
  const unsure = same.toSorted((one, other) => (one.mtimeNs > other.mtimeNs ? -1 : 1))
  const changed = new Set<string>()
  let readBytes = 0
  for (const file of unsure) {
    readBytes += file.bytes
    if (readBytes > maxReadBytes) break
    if ((await hashFile(directory, file.path)) === sentByPath.get(file.path)?.sha256) break
    changed.add(file.path)
  }
  return files.filter((file) => !same.includes(file) || changed.has(file.path))
}

async function hashFile(directory: string, path: string): Promise<string | null> {
  const handle = await openInside(directory, path)
  if (handle === null) return null
  try {
    const hash = createHash('sha256')
    for await (const part of handle.createReadStream({ autoClose: false })) hash.update(part)
    return hash.digest('hex')
  } finally {
    await handle.close()
  }
}
