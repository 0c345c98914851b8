import { access, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  hasDeletionRequests,
  keepRunDirectories,
  recordRunDirectory,
} from '@/lib/checkpoints/run-directories'
import { expiredRunsOf, sweepCheckpoints } from '@/lib/checkpoints/sweep-checkpoints'
import { checkpointsDirectory, env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { listDirectory } from '../files/list-directory'
import { listProjects, measureDirectory } from './run-directory'

/**
 * Sweeps the bucket even if checkpoints moved to a disk later. Not in a data directory, where the same keys would be
 * the runs' own files.
 */
export async function sweepAllCheckpoints(): Promise<void> {
  const settings = env()
  if (settings.GPUQ_STORAGE !== undefined) await sweepCheckpoints(storage(), new Date())
  const shared = checkpointsDirectory(settings)
  if (shared !== null) await sweepShared(shared)
}

/** Users wait for the space that they freed. */
export async function sweepRequested(): Promise<void> {
  const shared = checkpointsDirectory(env())
  if (shared !== null && (await hasDeletionRequests())) await sweepShared(shared)
}

/** Prefix of a run's directory while it is being deleted; no run can have such a name. */
const expiredPrefix = '.expired-'

/**
 * Deletes checkpoints on the shared disk: those of runs whose last job ended longer ago than the project's retention,
 * and those that their owner deleted. Keeps directories that belong to no run. Measures what is left.
 */
export async function sweepShared(checkpointsDirectory: string): Promise<void> {
  for (const project of await listProjects(checkpointsDirectory)) {
    const directory = join(checkpointsDirectory, project)
    const names = await listDirectory(directory)
    for (const name of await expiredRunsOf(project, names)) await putAside(directory, name)
    const set = (await listDirectory(directory)).filter((name) => name.startsWith(expiredPrefix))
    const runs = set.map((name) => name.slice(expiredPrefix.length))
    // Checks again after renaming: a job that arrived in between gets its directory back.
    const expired = new Set(await expiredRunsOf(project, runs))
    for (const run of runs) await (expired.has(run) ? remove(directory, run) : putBack(directory, run))
    await measureRuns(project, directory)
  }
}

/** Corrects what the tasks measured while they ran. */
async function measureRuns(projectId: string, directory: string): Promise<void> {
  const names = (await listDirectory(directory)).filter((name) => !name.startsWith('.'))
  await keepRunDirectories(projectId, names)
  for (const name of names) {
    const bytes = await measureDirectory(join(directory, name))
    await recordRunDirectory({ projectId, directory: name }, bytes, { running: false })
  }
}

async function putAside(directory: string, run: string): Promise<void> {
  await rename(join(directory, run), join(directory, expiredPrefix + run)).catch((error: unknown) =>
    logger.error({ err: error, directory, run }, 'could not rename the expired checkpoints of a run'),
  )
}

async function putBack(directory: string, run: string): Promise<void> {
  const path = join(directory, run)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere) await rename(join(directory, expiredPrefix + run), path)
}

async function remove(directory: string, run: string): Promise<void> {
  await rm(join(directory, expiredPrefix + run), { recursive: true, force: true }).catch((error: unknown) =>
    logger.error({ err: error, directory, run }, 'could not delete the expired checkpoints of a run'),
  )
}
