import type { MakeTaskHook } from '../node/task/task-hook'
import { taskUser } from '../runtime/spec/container-spec'
import {
  artifactPlaces,
  artifactsRoot,
  artifactsUnavailableReason,
  createArtifactsDirectory,
  createWork,
  removeArtifacts,
} from './artifacts-directory'
import { describeLeftFiles } from './left-files'
import { type FindKept, storeArtifacts } from './upload-artifacts'

/** Keeps no files if this machine cannot. Returns why. */
export async function tryArtifacts(
  settings: { resultsLimitBytes: number | null },
  { name, tasksDirectory }: { name: string; tasksDirectory: string },
): Promise<string[]> {
  if (settings.resultsLimitBytes === null) return []
  const problem = await artifactsUnavailableReason(tasksDirectory, name)
  if (problem === null) return []
  settings.resultsLimitBytes = null
  return [problem]
}

/**
 * Gives a task `/results` and `/work`, stores what it wrote to the first, and names what it left in the second.
 * @param limitBytes null: files are not kept on this node.
 * @param findKept finds the paths of the files of a task that are kept; null: all are
 */
export const artifacts =
  (limitBytes: number | null, findKept: FindKept): MakeTaskHook =>
  (node) => ({
    directory: artifactsRoot(node.tasksDirectory),
    prestart: async ({ task, container }) => {
      const places = await artifactPlaces(node, limitBytes, task, container)
      const { results, work } = places
      // A warm container has brought its own.
      if (results !== null && limitBytes !== null && container.warm === undefined) {
        const user = taskUser(container)
        await createArtifactsDirectory(results, limitBytes, user)
        if (work !== undefined) await createWork(work, task.memoryMib, user)
      }
      return places
    },
    // Before the final status: its reader finds all files.
    exited: async (end) => {
      const missing = limitBytes === null ? null : await storeArtifacts(node, limitBytes, findKept, end)
      const left = await describeLeftFiles(node, end)
      return [missing, left].filter((sentence) => sentence !== null).join(' ') || null
    },
    clear: (taskId) => removeArtifacts(node.tasksDirectory, taskId),
  })
