import * as z from 'zod'
import { snapshotReferenceSchema } from '../archives/snapshot-name'

/** Maximum number of mounts of a job. */
export const maxMounts = 16

const maxPathLength = 256

/** gpuq or the engine provides these directories. */
const ownDirectories = ['/job', '/work', '/results', '/checkpoints', '/tmp', '/proc', '/sys', '/dev', '/run']

/** The programs of an image need these directories. */
const systemDirectories = [
  '/bin',
  '/boot',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/sbin',
  '/usr',
  '/var',
]

/** Directories that every container has. */
export const reservedDirectories: readonly string[] = [...ownDirectories, ...systemDirectories]

/** Whether a path is the directory, or below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

/** Why a snapshot cannot be mounted at a path of the container; null if it can. */
export function refuseMountPath(path: string): string | null {
  if (!path.startsWith('/')) return 'a mount has an absolute path, such as /data'
  if (path === '/') return 'a mount cannot replace the whole file system: choose a directory such as /data'
  if (path.length > maxPathLength) return `the path of a mount must be at most ${maxPathLength} characters`
  if (!/^(\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/.test(path))
    return 'the path of a mount may have letters, digits, "_", "-" and ".", has no "..", and does not end with a slash'
  if (ownDirectories.some((directory) => isWithin(path, directory)))
    return `gpuq uses ${ownDirectories.join(', ')}: mount the snapshot at another path, such as /data`
  if (systemDirectories.some((directory) => isWithin(path, directory)))
    return 'the programs of the image need this directory: mount the snapshot at another path, such as /data'
  return null
}

const mountPath = z.string().superRefine((path, context) => {
  const message = refuseMountPath(path)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

/** The snapshots that a job mounts, by their paths in the container. */
export const mounts = z
  .record(mountPath, snapshotReferenceSchema)
  .refine((given) => Object.keys(given).length <= maxMounts, `must have at most ${maxMounts} entries`)
  .refine(
    (given) => !hasNested(Object.keys(given)),
    'has a path inside another one: mount the snapshots beside each other',
  )

function hasNested(paths: readonly string[]): boolean {
  return paths.some((path) => paths.some((other) => other !== path && isWithin(path, other)))
}
