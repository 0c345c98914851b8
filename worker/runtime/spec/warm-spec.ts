import type { TaskContainer } from '../runtime'
import { type ContainerSpec, labels, versionLabel } from './container-spec'
import { isOfShells, prepareCommand, waitCommand } from './start-script'

/** Names of warm containers without a task. No task has such a name. */
const namePrefix = 'gpuq-warm-'

/** The name of a warm container until it gets a task. */
export const warmName = (id: string): string => `${namePrefix}${id}`

/** The id of a warm container that has no task; null for any other name. */
export function parseWarmName(name: string): string | null {
  const plain = name.replace(/^\//, '')
  return plain.startsWith(namePrefix) ? plain.slice(namePrefix.length) : null
}

/**
 * Returns the request class of a task: everything that a container cannot change after its creation. Tasks of one class
 * can use each other's warm containers. Null if no container can wait for the task: it sees files of the host that are not
 * its own, has a network or a terminal, is below a cgroup of a batch system, or has a variable that the shell which starts it
 * could change.
 * @param anyCgroup whether the engine puts containers below such a cgroup. If not, it ignores that of the task.
 */
export function requestClassOf(task: TaskContainer, anyCgroup = true): string | null {
  const { workspace, workingDirectory, checkpoints, mounts, network, tty, cgroupParent } = task
  const hasOthersFiles = [workspace, workingDirectory, checkpoints].some((files) => files !== null)
  if (hasOthersFiles || mounts.length > 0 || network !== 'none' || tty) return null
  if (anyCgroup && cgroupParent !== null) return null
  if (Object.keys(task.env).some(isOfShells)) return null
  // Whatever is added to a task later belongs to its class unless it is removed here.
  return JSON.stringify(withoutTask(task))
}

/** A task of the same class that has no content. */
export function withoutTask({ warm: _, digest: __, variables: ___, ...task }: TaskContainer): TaskContainer {
  const { results, work } = task
  const nobody = { jobId: '', taskId: '', attempt: 0, rank: 0, runName: null, env: {}, command: [] }
  const files = {
    directory: '',
    results: results === null ? null : '',
    ...(work === undefined ? {} : { work: '' }),
  }
  return { ...task, ...nobody, cgroupParent: null, ...files }
}

/**
 * Turns the engine's create options for a task into those of a container that waits for a task of the same class.
 * @param isPrepared whether Python waits, and imports modules meanwhile
 */
export function toWarmSpec(
  spec: ContainerSpec,
  { id, nodeId, isPrepared }: { id: string; nodeId: string; isPrepared: boolean },
): ContainerSpec {
  const [program = '', ...programArguments] = isPrepared ? prepareCommand : waitCommand
  return {
    ...spec,
    name: warmName(id),
    Entrypoint: [program],
    Cmd: programArguments,
    OpenStdin: true,
    Labels: { [labels.warm]: id, [labels.node]: nodeId, ...versionLabel },
  }
}
