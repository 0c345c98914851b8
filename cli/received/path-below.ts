import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { refusePath } from '@/lib/contract/archives/archive-paths'
import { GpuqError } from '@/lib/contract/errors'
import { isDeviceName } from '@/lib/contract/text/sanitize-text'
import { errorCode } from '../files'

/** A received file cannot be written; the message says why. */
export class FileProblem extends GpuqError {
  constructor(message: string) {
    super('conflict', message)
    this.name = 'FileProblem'
  }
}

/** Errors of the file system that another try does not solve. */
const localFaults = ['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'EISDIR', 'ENOTDIR', 'ELOOP', 'EEXIST']

/** Why one received file cannot be written, where another one may; null for every other error. */
export function describeRefusal(error: unknown): string | null {
  if (error instanceof FileProblem) return error.message
  const code = errorCode(error)
  return localFaults.includes(code) ? `it cannot be written: ${code}.` : null
}

/**
 * The place of a path below a directory that the user named. Servers and jobs choose such paths, so each one passes this function
 * before it is used. {@link enterParent} then makes sure that no link leads out of the directory.
 * @throws FileProblem if the path could lead out of the directory or name a device.
 */
export function pathBelow(root: string, received: string, platform = process.platform): string {
  const why = refusePath(received) ?? (platform === 'win32' ? refuseOnWindows(received) : null)
  if (why !== null) throw new FileProblem(`its path ${why}.`)
  return join(root, received)
}

function refuseOnWindows(path: string): string | null {
  if (/[:*?"<>|]/.test(path)) return 'holds a character that names on Windows cannot have'
  const names = path.split('/')
  if (names.some((name) => /[. ]$/.test(name))) return 'holds a name that ends with a dot or a space'
  return names.some(isDeviceName) ? 'holds the name of a device' : null
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is a UUID. Every id of the server is one. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** An id as a part of a file's name. @throws FileProblem if it is not a UUID. */
export function idAsName(id: string): string {
  if (isUuid(id)) return id
  throw new FileProblem('The server sent an id that is not a UUID. Check the address of the server.')
}

/**
 * Goes down to the directory of a received path, one step at a time, and follows no link on the way.
 * @param create whether to create missing directories.
 * @returns the full path; null if a directory is missing.
 * @throws FileProblem if the path is refused, or a link or a file is in the place of one of its directories.
 */
export async function enterParent(root: string, received: string, create: boolean): Promise<string | null> {
  const full = pathBelow(root, received)
  const names = received.split('/').slice(0, -1)
  for (const [index] of names.entries()) {
    const place = names.slice(0, index + 1).join('/')
    if (create) await makeDirectory(join(root, place))
    const stats = await lstat(join(root, place)).catch(nullIfMissing)
    if (stats === null) return null
    if (!stats.isDirectory()) {
      const is = stats.isSymbolicLink() ? 'a link' : 'not a directory'
      throw new FileProblem(`${place} is ${is} here. Remove or rename it.`)
    }
  }
  return full
}

/** Without `recursive`, which would follow links. */
async function makeDirectory(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
}

/** For `lstat`: null if there is nothing. */
export function nullIfMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null
  throw error
}
