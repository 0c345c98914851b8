import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, posix, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import tar, { type ExtractEvents } from 'tar-stream'
import { maxPathBytes, refuseLink, refusePath } from '@/lib/contract/archives/archive-paths'
import { conflict, unavailable } from '@/lib/contract/errors'
import { errorCode } from '../files'
import { describeRefusal, enterParent, FileProblem, pathBelow } from './path-below'

interface Size {
  files: number
  bytes: number
}

interface Rules {
  /** What the server announced; left out: it did not. */
  expected?: Size
  /** Why a file is not wanted here; null: it is. */
  refuse?: (path: string) => string | null
  /** Called with each file that cannot be saved here, and why. Left out: nothing is saved then. */
  onRefused?: (path: string, why: string) => Promise<void>
}

/**
 * Extracts a downloaded tar file of files and links into a new or empty directory. The directory appears only when it is
 * complete.
 * @param download starts the download, after the check of the directory.
 * @throws GpuqError if the directory has files, or the download is not what the server announced.
 */
export async function extractTar(
  download: () => Promise<Response>,
  directory: string,
  rules: Rules,
): Promise<void> {
  const target = resolve(directory)
  await requireEmpty(target)
  const { body } = await download()
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
  await mkdir(temporary, { recursive: true })
  try {
    const received = await extract(Readable.fromWeb(body as ReadableStream<Uint8Array>), temporary, rules)
    const { expected = received } = rules
    if (received.files !== expected.files || received.bytes !== expected.bytes)
      throw unavailable('The download ended early. Run the command again.')
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw error
  }
}

async function requireEmpty(directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    if (errorCode(error) === 'ENOTDIR') throw conflict(`${directory} is a file. Choose a new directory.`)
    throw error
  })
  if (names.length > 0) throw conflict(`${directory} is not empty. Choose a new directory.`)
}

/** What has been received so far, and where. */
interface Extraction {
  root: string
  rules: Rules
  received: Size
  links: { path: string; target: string }[]
  /** Directories that were made: nobody but this command writes below `root`. */
  made: Set<string>
}

/** Links are created last, so that no file is written through a link. */
async function extract(source: Readable, root: string, rules: Rules): Promise<Size> {
  const received = { files: 0, bytes: 0 }
  const extraction: Extraction = { root, rules, received, links: [], made: new Set() }
  const entries = tar.extract()
  const read = pipeline(source, entries)
  // A failure also ends the loop, which throws what came first.
  read.catch(() => {})
  for await (const entry of entries) await save(extraction, entry)
  await read
  // A link in the place of a directory would lead the links after it out of the directory.
  for (const { path, target } of extraction.links) await symlink(target, await parentOf(root, path))
  return received
}

/** Saves a file, or keeps a link for later. */
async function save(
  { root, rules: { expected, refuse, onRefused }, received, links, made }: Extraction,
  entry: ExtractEvents['entry'][1],
): Promise<void> {
  const { name, type, linkname, size, mode } = entry.header
  // A job may make such a path. The files of other jobs are saved nevertheless.
  if (onRefused && Buffer.byteLength(name) > maxPathBytes) {
    await onRefused(name, `its path is longer than ${maxPathBytes} bytes.`)
    entry.resume()
    return
  }
  const target = type === 'symlink' ? (linkname ?? '') : null
  const why = refusePath(name) ?? (target === null ? null : refuseLink(name, target))
  if (why !== null || (target === null && type !== 'file'))
    throw conflict(
      `The server sent an entry that cannot be saved: ${JSON.stringify(name)} ${why ?? `is a ${type}`}.`,
    )
  received.files++
  received.bytes += target === null ? size : 0
  if (expected && (received.files > expected.files || received.bytes > expected.bytes))
    throw conflict('The server sent more than the snapshot has. Check the address of the server.')
  if (target !== null) {
    links.push({ path: name, target })
    entry.resume()
    return
  }
  try {
    const unwanted = refuse?.(name) ?? null
    if (unwanted !== null) throw new FileProblem(`${unwanted}.`)
    const file = await create({ root, made }, name, mode)
    await pipeline(entry, file.createWriteStream())
  } catch (error) {
    const refusal = onRefused ? describeRefusal(error) : null
    if (refusal === null) throw error
    await onRefused?.(name, refusal)
    entry.resume()
  }
}

/** Creates a file that nothing has the name of. */
async function create(
  { root, made }: Pick<Extraction, 'root' | 'made'>,
  name: string,
  mode: number | undefined,
): Promise<FileHandle> {
  const directory = posix.dirname(name)
  const path = made.has(directory) ? pathBelow(root, name) : await parentOf(root, name)
  made.add(directory)
  return open(path, 'wx', (mode ?? 0) & 0o111 ? 0o777 : 0o666)
}

async function parentOf(root: string, name: string): Promise<string> {
  const path = await enterParent(root, name, true)
  if (path === null) throw conflict(`${root} was removed meanwhile. Run the command again.`)
  return path
}
