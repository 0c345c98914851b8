import { chmod, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ScorerConfig } from '@/lib/competitions/contract-config'
import { pathsOf } from '@/lib/competitions/contract-formats'
import { findOutputsToScore, type OutputToScore } from '@/lib/competitions/scoring/find-outputs'
import { scoresVariable, seedVariable } from '@/lib/competitions/scoring/variables'
import { fetchObject, isDiskFull } from '../files/fetch-object'
import { retryWrite } from '../node/lease/retry-write'
import type { MakeTaskHook, TaskStart } from '../node/task/task-hook'
import { RuntimeFault } from '../runtime/runtime'

/** The outputs of entries that scoring programs read, of all tasks. */
const outputsRoot = (tasksDirectory: string) => `${tasksDirectory}.outputs`

/**
 * Keeps the jobs of competitions from the network, whatever their environment allows, and gives scoring programs the outputs of the entry:
 * the declared files, and nothing else that it sent or left. Other tasks have no variable of competitions, because no config may have one.
 */
export const competitions: MakeTaskHook = ({ tasksDirectory }) => {
  const root = outputsRoot(tasksDirectory)
  return {
    directory: root,
    prestart: async ({ task, container, stopping }) => {
      const { [seedVariable]: seed, [scoresVariable]: scores } = task.spec.env
      if (scores !== undefined) {
        const source = join(root, task.id)
        const { outputs: path, results, places } = pathsOf(await prepareOutputs(source, task, stopping))
        return {
          network: 'none',
          variables: { ...container.variables, [scoresVariable]: scores },
          mounts: [...container.mounts, { path, source, hash: null }],
          ...(places && { places: { ...places, results } }),
        }
      }
      if (seed !== undefined)
        return { network: 'none', variables: { ...container.variables, [seedVariable]: seed } }
      return {}
    },
    clear: (taskId) => rm(join(root, taskId), { recursive: true, force: true }),
  }
}

/**
 * Writes the outputs to a directory that all users may read and none may change. Starts from scratch after an earlier try.
 * Returns what scores them.
 */
async function prepareOutputs(
  directory: string,
  { jobId }: TaskStart['task'],
  signal: AbortSignal,
): Promise<ScorerConfig> {
  await rm(directory, { recursive: true, force: true })
  const found = await retryWrite(signal, 'outputs of an entry', () => findOutputsToScore(jobId))
  if (found === null) throw unavailable()
  try {
    // Only root can enter it. The engine mounts what is below.
    await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
    await makeDirectory(directory)
    for (const output of found.outputs) await writeOutput(directory, output, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw unavailable(error)
  }
  return found.scorer
}

async function writeOutput(directory: string, output: OutputToScore, signal: AbortSignal): Promise<void> {
  const parents = dirname(output.path)
  if (parents !== '.') {
    let path = directory
    for (const name of parents.split('/')) {
      path = join(path, name)
      await makeDirectory(path)
    }
  }
  await fetchObject(output.key, join(directory, output.path), output, { mode: 0o444, signal, durable: true })
}

/** The umask of the worker may have hidden it from the user of the task. */
async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  await chmod(path, 0o755)
}

function unavailable(cause?: unknown): RuntimeFault {
  const message = isDiskFull(cause)
    ? "The outputs of the entry do not fit on the node's disk. Free some space there."
    : 'The outputs of the entry could not be read from the store. Check the storage, then score the entry again.'
  return new RuntimeFault('engine_error', message, { cause })
}
