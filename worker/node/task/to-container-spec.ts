import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { JobNetworks } from '@/lib/contract/job-network'
import { withCudaArgument } from '@/lib/jobs/config/cuda-argument'
import type { TaskContainer } from '../../runtime/runtime'
import { shippedDirectory } from './prepare-archive'
import { toNetworkSpec } from './to-network-spec'

/** Whether the task has uploaded files. */
export function hasShippedDirectory(task: Pick<ClaimedTask, 'spec'>): boolean {
  return task.spec.archive !== undefined
}

/** Converts a task to the container specification of the runtime. */
export function toContainerSpec(
  task: ClaimedTask,
  lease: Lease,
  directory: string,
  jobNetworks: JobNetworks,
): Omit<TaskContainer, 'results' | 'workspace' | 'checkpoints'> {
  const { spec } = task
  // The container numbers its GPUs from 0 in node order, which is the order of `task.gpus`.
  const args = spec.cuda_argument ? withCudaArgument(spec.args, task.gpus.length) : spec.args
  const shipped = spec.archive !== undefined
  const program =
    task.command === null
      ? ['python', '-u', `${shipped ? '/work' : '/job'}/solution.py`, ...args]
      : ['/bin/sh', '-c', task.command]
  return {
    jobId: task.jobId,
    taskId: task.id,
    attempt: task.attempt,
    rank: task.rank,
    nodeId: lease.nodeId,
    image: task.image,
    command: shipped ? inShippedDirectory(program, task.command === null) : program,
    env: spec.env,
    runName: spec.run_name ?? null,
    directory,
    gpuUuids: task.gpus.filter(({ simulated }) => !simulated).map(({ uuid }) => uuid),
    simulated: task.gpus.some(({ simulated }) => simulated),
    cpuMilli: task.cpuMilli,
    memoryMib: task.memoryMib,
    network: task.networkIndex === null ? task.network : toNetworkSpec(task, task.networkIndex, jobNetworks),
    tty: spec.tty,
  }
}

/**
 * Copies the uploaded files to a writable place, then executes the program. Keeps links as links, and makes the task
 * the owner of every file. An uploaded program is copied to the same place, where it finds its modules and data.
 */
function inShippedDirectory(program: string[], uploaded: boolean): string[] {
  const steps = [
    `cp -R /job/${shippedDirectory}/. /work/`,
    ...(uploaded ? ['rm -rf /work/solution.py', 'cp /job/solution.py /work/'] : []),
    'exec "$@"',
  ]
  return ['/bin/sh', '-c', steps.join(' && '), 'gpuq', ...program]
}
