import { createWriteStream } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

/** The code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

/** The reason why a file cannot be read, in words where they are clearer than the code. */
export function describeFileError(error: unknown): string {
  const code = errorCode(error)
  if (code === 'ENOENT') return 'no such file or directory'
  return code === 'EISDIR' ? 'it is a directory' : code
}

/** A directory of the XDG specification, which says to ignore a path that is not absolute. */
export function xdgDirectory(env: NodeJS.ProcessEnv, name: 'CONFIG' | 'CACHE'): string {
  const given = env[`XDG_${name}_HOME`]
  return given && isAbsolute(given) ? given : join(env.HOME || homedir(), `.${name.toLowerCase()}`)
}

/** Whether a path is a directory that can be read. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Writes a private temporary file and renames it: no reader sees a part of it, and no other user can read it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, text, { mode: 0o600 })
  await rename(temporary, path)
}

/**
 * Saves a download under its name only when it is complete. The rename replaces a link of that name instead of
 * following it.
 */
export async function saveDownload(path: string, { body }: Response): Promise<void> {
  const temporary = `${path}.part`
  try {
    await rm(temporary, { force: true })
    const content = body ? Readable.fromWeb(body as ReadableStream<Uint8Array>) : Readable.from([])
    await pipeline(content, createWriteStream(temporary, { flags: 'wx' }))
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
