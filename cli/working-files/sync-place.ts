import { mkdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { relative, resolve } from 'node:path'
import { isWithin } from '@/lib/contract/config/mounts'
import { conflict, invalidRequest } from '@/lib/contract/errors'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { errorCode } from '../files'

interface SyncPlace {
  /** The working directory of the job, as this machine or the server says. */
  directory: string | null
  /** The directory that the user named instead. */
  into: string | undefined
  /** The job, for messages. */
  jobId: string
}

/**
 * Decides where the files of a job return. Whoever answers as the server chooses the working directory of the job, so it counts
 * only below the current directory. Elsewhere, the user must name it.
 * @returns an absolute path of an existing directory.
 * @throws GpuqError that says how to name a directory.
 */
export async function chooseSyncPlace(
  env: NodeJS.ProcessEnv,
  { directory, into, jobId }: SyncPlace,
): Promise<string> {
  if (into !== undefined) return makeNamed(into)
  if (directory === null)
    throw invalidRequest(
      'The job has no working directory. Only jobs of `gpuq run --sync` and agents have one.',
    )
  const shown = visibleText(directory, 300)
  const name = `To bring its files back, name a directory: gpuq sync ${jobId} --into DIR`
  const there = await stat(directory).catch(() => null)
  if (!there?.isDirectory())
    throw conflict(`${shown}, the working directory of the job, does not exist on this machine. ${name}`)
  const [real, current, home] = await Promise.all([
    realpath(directory),
    realpath(process.cwd()),
    realpath(env.HOME || homedir()).catch(() => null),
  ])
  if (!isWithin(real, current))
    throw conflict(`${shown}, the working directory of the job, is not below the current directory. ${name}`)
  if (isHiddenBelow(current, real) || (home !== null && isWithin(home, real)))
    throw conflict(`${shown}, the working directory of the job, may have private files. ${name}`)
  return directory
}

/** Such as `.ssh` below a home directory. A directory that the user works in may have any name. */
function isHiddenBelow(current: string, directory: string): boolean {
  return relative(current, directory)
    .split('/')
    .some((name) => name.startsWith('.'))
}

async function makeNamed(into: string): Promise<string> {
  const directory = resolve(into)
  await mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw conflict(
      `Cannot create the directory ${into}: ${errorCode(error)}. Choose another one with --into.`,
    )
  })
  return directory
}
