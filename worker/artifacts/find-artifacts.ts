import { limitFiles } from '../files/limit-files'
import { type FoundFile, type SkippedFile, safeWalk } from '../files/safe-walk'

/** Finds the files of a task in /results. */
export async function findArtifacts(
  directory: string,
  limitBytes: number,
): Promise<{ found: FoundFile[]; skipped: SkippedFile[] }> {
  // The file system of /results limits the entries, and the length of a path the levels.
  const unlimited = { maxEntries: Number.POSITIVE_INFINITY, maxLevels: Number.POSITIVE_INFINITY }
  const { files, skipped } = await safeWalk(directory, unlimited)
  const limited = limitFiles(files, limitBytes, '/results')
  return { found: limited.found, skipped: [...skipped, ...limited.skipped] }
}
