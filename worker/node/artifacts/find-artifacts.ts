import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'

/** A file that a task wrote to /results. */
export interface FoundArtifact {
  /** Relative to /results, with slashes. */
  path: string
  bytes: number
  /** The caller must close the handle. */
  open(): Promise<FileHandle>
}

/** A file that is not kept, and the reason for the job's owner. */
export interface SkippedFile {
  path: string
  why: string
}

const mostPathBytes = 1_024
const slash = Buffer.from('/')
const strict = new TextDecoder('utf-8', { fatal: true })

/**
 * Yields the regular files below a directory without active writers. Skips links, pipes, sockets and devices without
 * opening them, and files that exceed `limitBytes` in total: a sparse file may claim any size.
 */
export async function findArtifacts(
  directory: string,
  limitBytes: number,
): Promise<{ found: FoundArtifact[]; skipped: SkippedFile[] }> {
  const found: FoundArtifact[] = []
  const skipped: SkippedFile[] = []
  let left = limitBytes
  const waiting: Buffer[] = [Buffer.alloc(0)]
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    for (const entry of await readdir(join(directory, inner), { withFileTypes: true, encoding: 'buffer' })) {
      const name = inner.length === 0 ? entry.name : Buffer.concat([inner, slash, entry.name])
      const path = textOf(name)
      const skip = (why: string) => skipped.push({ path: path ?? name.toString('latin1'), why })
      if (name.length > mostPathBytes) skip(`its path is longer than ${mostPathBytes} bytes`)
      else if (path === null) skip('its path is not UTF-8')
      else if (entry.isDirectory()) waiting.push(name)
      else if (!entry.isFile()) skip('it is not a regular file')
      else {
        const opens = () => openRegular(join(directory, name))
        const bytes = await sizeOf(opens)
        if (bytes === null) skip('it is not a regular file')
        else if (bytes > left) skip('it exceeds the size limit for /results')
        else {
          left -= bytes
          found.push({ path, bytes, open: opens })
        }
      }
    }
  }
  return { found, skipped }
}

function join(directory: string, inner: Buffer): Buffer {
  return Buffer.concat([Buffer.from(directory), slash, inner])
}

function textOf(name: Buffer): string | null {
  try {
    return strict.decode(name)
  } catch {
    return null
  }
}

/** Follows no link, and does not wait for the writer of a pipe. */
function openRegular(path: Buffer): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
}

async function sizeOf(opens: () => Promise<FileHandle>): Promise<number | null> {
  const file = await opens()
  try {
    const found = await file.stat()
    return found.isFile() ? found.size : null
  } finally {
    await file.close()
  }
}
