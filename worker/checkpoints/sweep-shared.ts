import { access, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expiredRunsOf } from '@/lib/cluster/checkpoints/sweep-checkpoints'
import { logger } from '@/lib/logger'

/** What a run's directory is called while it is decided: no run can have such a name. */
const aside = '.expired-'
const projectId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Deletes the checkpoints on the shared disk of runs whose last job ended longer ago than their project keeps things. Directories
 * that are nobody's run stay.
 */
export async function sweepShared(checkpointsDirectory: string): Promise<void> {
  for (const project of await listed(checkpointsDirectory)) {
    if (!projectId.test(project)) continue
    const directory = join(checkpointsDirectory, project)
    const names = await listed(directory)
    for (const name of await expiredRunsOf(project, names)) await putAside(directory, name)
    const set = (await listed(directory)).filter((name) => name.startsWith(aside))
    const runs = set.map((name) => name.slice(aside.length))
    // Asked again: a job that came in between finds its directory where it was.
    const expired = new Set(await expiredRunsOf(project, runs))
    for (const run of runs) await (expired.has(run) ? remove(directory, run) : putBack(directory, run))
  }
}

async function putAside(directory: string, run: string): Promise<void> {
  await rename(join(directory, run), join(directory, aside + run)).catch((error: unknown) =>
    logger.error({ err: error, directory, run }, 'the checkpoints of an old run could not be put aside'),
  )
}

async function putBack(directory: string, run: string): Promise<void> {
  const path = join(directory, run)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere) await rename(join(directory, aside + run), path)
}

async function remove(directory: string, run: string): Promise<void> {
  await rm(join(directory, aside + run), { recursive: true, force: true }).catch((error: unknown) =>
    logger.error({ err: error, directory, run }, 'the checkpoints of an old run could not be deleted'),
  )
}

async function listed(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
