import type { Lease } from '@/lib/cluster/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks'
import { withCudaArgument } from '@/lib/jobs/cuda-argument'
import { storedSpecSchema } from '@/lib/jobs/stored-spec'
import type { TaskContainer } from '../runtime/runtime'

/** What a task asks of the runtime. */
export function containerOf(task: ClaimedTask, lease: Lease, directory: string): TaskContainer {
  const spec = storedSpecSchema.parse(task.spec)
  // The container numbers its GPUs from 0 in the order of their numbers on the node, as `task.gpus` has them.
  const args = spec.cuda_argument ? withCudaArgument(spec.args, task.gpus.length) : spec.args
  return {
    jobId: task.jobId,
    taskId: task.id,
    attempt: task.attempt,
    rank: task.rank,
    nodeId: lease.nodeId,
    image: task.image,
    command:
      task.command === null ? ['python', '-u', '/job/solution.py', ...args] : ['/bin/sh', '-c', task.command],
    env: spec.env,
    directory,
    gpuUuids: task.gpus.filter(({ simulated }) => !simulated).map(({ uuid }) => uuid),
    simulated: task.gpus.some(({ simulated }) => simulated),
    cpuMilli: task.cpuMilli,
    memoryMib: task.memoryMib,
    network: task.network,
    tty: spec.tty,
  }
}
