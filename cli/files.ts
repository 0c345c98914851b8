import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

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
