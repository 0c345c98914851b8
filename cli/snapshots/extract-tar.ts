import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import tar, { type Headers } from 'tar-stream'
import { refuseLink, refusePath } from '@/lib/contract/archives/archive-paths'
import { conflict, unavailable } from '@/lib/contract/errors'
import { errorCode } from '../files'

/**
 * Extracts a downloaded tar file of files and links into a new or empty directory. The directory appears only when it is
 * complete.
 * @param open starts the download, after the check of the directory.
 * @throws GpuqError if the directory has files, or the download is not what the server announced.
 */
export async function extractTar(
  open: () => Promise<Response>,
  directory: string,
  expected: { files: number; bytes: number },
): Promise<void> {
  const target = resolve(directory)
  await requireEmpty(target)
  const { body } = await open()
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
  await mkdir(temporary, { recursive: true })
  try {
    const received = await extract(Readable.fromWeb(body as ReadableStream<Uint8Array>), temporary)
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

/** Links are created last, so that no file is written through a link. */
async function extract(source: Readable, root: string): Promise<{ files: number; bytes: number }> {
  const links: { path: string; target: string }[] = []
  const received = { files: 0, bytes: 0 }
  const reader = tar.extract()
  reader.on('entry', (header, content, next) => {
    received.files++
    save(root, header, content, links).then(
      (bytes) => {
        received.bytes += bytes
        next()
      },
      (error: Error) => reader.destroy(error),
    )
  })
  await pipeline(source, reader)
  for (const { path, target } of links) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await symlink(target, join(root, path))
  }
  return received
}

/** Saves a file and returns its bytes, or keeps a link for later. */
async function save(
  root: string,
  { name, type, linkname, mode = 0o644 }: Headers,
  content: Readable,
  links: { path: string; target: string }[],
): Promise<number> {
  const target = type === 'symlink' ? (linkname ?? '') : null
  const why = refusePath(name) ?? (target === null ? null : refuseLink(name, target))
  if (why !== null || (target === null && type !== 'file'))
    throw conflict(
      `The server sent an entry that cannot be saved: ${JSON.stringify(name)} ${why ?? `is a ${type}`}.`,
    )
  if (target !== null) {
    links.push({ path: name, target })
    content.resume()
    return 0
  }
  const path = join(root, name)
  await mkdir(dirname(path), { recursive: true })
  const file = createWriteStream(path, { flags: 'wx', mode: mode & 0o111 ? 0o777 : 0o666 })
  await pipeline(content, file)
  return file.bytesWritten
}
