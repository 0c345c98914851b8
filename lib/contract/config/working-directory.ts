import * as z from 'zod'
import { refuseHostDirectory } from './host-paths'
import { isWithin } from './mounts'

const maxPathBytes = 1024
const encoder = new TextEncoder()

/** Directories of the image or of gpuq that a job needs. A directory inside them hides nothing. */
const neededDirectories = ['/home', '/media', '/mnt', '/opt', '/srv', '/tmp']

/** Why a job cannot have its working directory at a path of the container; null if it can. */
export function refuseWorkingDirectory(path: string): string | null {
  if (!path.startsWith('/')) return 'must be an absolute path, such as /workspace/project'
  if (path === '/')
    return 'cannot replace the whole file system: choose a directory such as /workspace/project'
  if (encoder.encode(path).length > maxPathBytes) return `must be at most ${maxPathBytes} bytes`
  const refused = refuseHostDirectory(path)
  if (refused !== null) return `${refused}: choose a directory such as /workspace/project`
  return neededDirectories.includes(path)
    ? `a container needs ${path} for other files: choose a directory below it, such as ${path}/project`
    : null
}

/** The path at which a job finds its uploaded directory, and whose changes return to the user. */
export const workingDirectory = z.string().superRefine((path, context) => {
  const message = refuseWorkingDirectory(path)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

/** Whether two directories are equal, or one is inside the other. */
export function overlaps(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one)
}
