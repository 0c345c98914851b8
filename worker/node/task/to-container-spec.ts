import { dirname } from 'node:path'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { languageOf } from '@/lib/contract/config/program/entrypoint'
import { hasInterpreter, withUnixLineEnds } from '@/lib/contract/config/program/shell-script'
import { addressOf, type JobNetworks, subnetOf } from '@/lib/contract/job-network'
import { withCudaArgument } from '@/lib/jobs/config/cuda-argument'
import { type JobNetwork, RuntimeFault, type TaskContainer } from '../../runtime/runtime'
import type { NodeContext } from '../node-context'
import { commandFile, scriptProgram } from './program/script-program'
import { processesOf, taskDirectoryOf } from './task-directory'

/** Converts a task to the container of the runtime, before the hooks of features change it. */
export function toContainerSpec(
  task: ClaimedTask,
  { lease, tasksDirectory, jobNetworks }: NodeContext,
): TaskContainer {
  const { spec } = task
  return {
    jobId: task.jobId,
    taskId: task.id,
    attempt: task.attempt,
    rank: task.rank,
    nodeId: lease.nodeId,
    image: task.image,
    command: commandOf(task, '/job'),
    env: spec.env,
    runName: spec.run_name ?? null,
    directory: taskDirectoryOf(tasksDirectory, task.id),
    results: null,
    workspace: null,
    workingDirectory: null,
    checkpoints: null,
    mounts: [],
    gpuUuids: task.gpus.filter(({ simulated }) => !simulated).map(({ uuid }) => uuid),
    simulated: task.gpus.some(({ simulated }) => simulated),
    cpuMilli: task.cpuMilli,
    memoryMib: task.memoryMib,
    // Beside the cgroup of the step's own processes: one with processes has no limits for those below it.
    cgroupParent: cgroupParentOf(task),
    network: task.networkIndex === null ? task.network : toNetworkSpec(task, task.networkIndex, jobNetworks),
    tty: spec.tty,
    prepare: task.prepare,
  }
}

/** The command that runs the program of a task, whose file is in `directory`. */
export function commandOf(task: ClaimedTask, directory: string): string[] {
  return task.command === null
    ? [...programOf(task.spec, directory), ...argumentsOf(task)]
    : commandProgram(task.command)
}

/** The arguments of a task's program. */
export function argumentsOf({ spec, gpus }: Pick<ClaimedTask, 'spec' | 'gpus'>): string[] {
  // The container numbers its GPUs from 0 in node order, which is the order of `gpus`.
  return spec.cuda_argument ? withCudaArgument(spec.args, gpus.length) : spec.args
}

/** The submission has checked the extension. */
function programOf({ entrypoint = 'solution.py' }: ClaimedTask['spec'], directory: string): string[] {
  const path = `${directory}/${entrypoint}`
  const language = languageOf(entrypoint)
  if (language === null)
    throw new RuntimeFault('engine_error', `gpuq cannot run ${entrypoint}. Use a command.`)
  return language === 'python' ? ['python', '-u', path] : scriptProgram(path)
}

/** A command runs in sh, unless its first line names another program. */
function commandProgram(command: string): string[] {
  if (hasInterpreter(command)) return scriptProgram(`/job/${commandFile}`)
  return ['/bin/sh', '-c', withUnixLineEnds(command)]
}

/**
 * Returns the network that a task shares with the other tasks of its attempt.
 * @throws if the leader uses a larger range than this node.
 */
function toNetworkSpec(task: ClaimedTask, index: number, jobNetworks: JobNetworks): JobNetwork {
  if (index >= jobNetworks.count)
    throw new RuntimeFault(
      'engine_error',
      `The job's network has index ${index}, but this node has only ${jobNetworks.count} networks. Set GPUQ_JOB_NETWORKS to the same value on every node.`,
    )
  const { cidr: subnet, vni } = subnetOf(jobNetworks, index)
  const own = task.peers.find(({ rank }) => rank === task.rank)
  const peers = task.peers.map(({ rank, gpuCount, nodeName: node, machineId, address }) => ({
    address: addressOf(jobNetworks, index, rank),
    processes: processesOf(gpuCount),
    machine: machineId === own?.machineId ? null : { node, address },
  }))
  return { subnet, vni, peers, internet: task.network === 'internet' }
}

/** The cgroup of the Slurm step that the container of a task is below; null: none. */
export function cgroupParentOf({ cgroup }: Pick<ClaimedTask, 'cgroup'>): string | null {
  return cgroup === null ? null : dirname(cgroup)
}
