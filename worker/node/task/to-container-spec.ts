import { dirname } from 'node:path'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { languageOf } from '@/lib/contract/config/program/entrypoint'
import { hasInterpreter, withUnixLineEnds } from '@/lib/contract/config/program/shell-script'
import { addressOf, type JobNetworks, subnetOf } from '@/lib/contract/job-network'
import { withCudaArgument } from '@/lib/jobs/config/cuda-argument'
import { copyMarker } from '../../archives/copy-marker'
import { uploadedDirectory } from '../../archives/prepare-archive'
import { hostProgram } from '../../host-files/host-program'
import { type JobNetwork, RuntimeFault, type TaskContainer } from '../../runtime/runtime'
import { commandFile, scriptProgram } from './program/script-program'
import { processesOf } from './task-directory'

/** Converts a task to the container specification of the runtime. */
export function toContainerSpec(
  task: ClaimedTask,
  lease: Lease,
  directory: string,
  jobNetworks: JobNetworks,
): Omit<TaskContainer, 'results' | 'workspace' | 'workingDirectory' | 'checkpoints' | 'mounts'> {
  const { spec } = task
  // The container numbers its GPUs from 0 in node order, which is the order of `task.gpus`.
  const args = spec.cuda_argument ? withCudaArgument(spec.args, task.gpus.length) : spec.args
  const hasUpload = spec.archive !== undefined
  const start = spec.working_directory ?? '/work'
  const copies = hasUpload || spec.working_directory !== undefined
  const program =
    task.command === null
      ? [...programOf(spec, hasUpload ? start : '/job'), ...args]
      : commandProgram(task.command)
  return {
    jobId: task.jobId,
    taskId: task.id,
    attempt: task.attempt,
    rank: task.rank,
    nodeId: lease.nodeId,
    image: task.image,
    command: copies ? inUploadedDirectory(program, start, hasUpload && task.code.length > 0) : program,
    env: spec.env,
    runName: spec.run_name ?? null,
    directory,
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

/** The submission has checked the extension. */
function programOf(spec: ClaimedTask['spec'], directory: string): string[] {
  const { host_script: script, conda_prefix: prefix, entrypoint = 'solution.py' } = spec
  if (script !== undefined) return hostProgram(script, prefix)
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

/**
 * Copies the uploaded files to the directory where the program starts, then executes it. Keeps links as links, and makes
 * the task the owner of every file. An uploaded program is copied to the same place, where it finds its modules and data.
 */
function inUploadedDirectory(program: string[], start: string, uploaded: boolean): string[] {
  const steps = [
    `cp -R /job/${uploadedDirectory}/. "$1"/`,
    ...(uploaded ? ['rm -rf "$1"/solution.py', 'cp /job/solution.py "$1"/'] : []),
    `rm -f "$1"/${copyMarker}`,
    'shift',
    'exec "$@"',
  ]
  return ['/bin/sh', '-c', steps.join(' && '), 'gpuq', start, ...program]
}

/** The cgroup of the Slurm step that the container of a task is below; null: none. */
export function cgroupParentOf({ cgroup }: Pick<ClaimedTask, 'cgroup'>): string | null {
  return cgroup === null ? null : dirname(cgroup)
}
