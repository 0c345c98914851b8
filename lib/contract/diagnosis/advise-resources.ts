import type { Fix } from './diagnosis'
import type { DiagnosedJob, Finding } from './facts'
import { type NextStep, only } from './step'

/** What to change after a time limit. */
export function adviseTime({ job: { max_time }, limits }: Finding): NextStep {
  const most = limits?.max_time ?? Number.POSITIVE_INFINITY
  if (max_time >= most)
    return only(
      `Continue from checkpoints in another job: ${max_time} seconds are the longest time limit that you may set.`,
    )
  return {
    text: `Set max_time to more than ${max_time}, the limit of this job in seconds, or continue from checkpoints.`,
    fix: { key: 'max_time', value: Math.min(Math.ceil(max_time * 2), most) },
  }
}

const noMore = 'no node of this server has more'

/** What to change after too little memory. */
export function adviseMemory(finding: Finding): NextStep {
  const had = memoryOf(finding)
  if (had.isAll) return only(`Load less data at a time: the job had ${had.text} GB of memory, and ${noMore}.`)
  return { text: `Set memory_gb to more than ${had.text}, or load less data at a time.`, fix: had.fix }
}

/** For programs whose processes share memory, such as the workers of a data loader. */
export function adviseSharedMemory(finding: Finding): NextStep {
  const had = memoryOf(finding)
  if (had.isAll) {
    return only(
      `Use fewer workers of the data loader: half of the memory is shared memory (/dev/shm), and ${noMore}.`,
    )
  }
  return {
    text: `Set memory_gb to more than ${had.text}, or use fewer workers of the data loader: half of it is shared memory (/dev/shm).`,
    fix: had.fix,
  }
}

/** What to change after a full `/work` or `/tmp`. */
export function adviseSpace(finding: Finding): NextStep {
  const had = memoryOf(finding)
  if (had.isAll) {
    return only(
      `Write large files to /results: /work and /tmp are in the memory of the job (${had.text} GB), and ${noMore}.`,
    )
  }
  return {
    text: `Write large files to /results, or set memory_gb to more than ${had.text}: /work and /tmp are in the memory of the job.`,
    fix: had.fix,
  }
}

/** The memory that the job had, and twice as much as a fix. In a config, a GB of main memory is a GiB. */
function memoryOf({ job, limits }: Finding): { text: string; isAll: boolean; fix: Fix | null } {
  const { got } = job.resources
  if (got.length === 0) return { text: 'what the job had', isAll: false, fix: null }
  const gigabytes = Number((least(got) / 1024).toFixed(1))
  const most = limits?.memory_gb ?? Number.POSITIVE_INFINITY
  return {
    text: String(gigabytes),
    isAll: gigabytes >= most,
    fix: { key: 'memory_gb', value: Math.min(Number((gigabytes * 2).toFixed(1)), most) },
  }
}

function gpusOf({ resources: { got } }: DiagnosedJob) {
  return got.flatMap((instance) => instance.gpus)
}

function adviseAnyGpu({ limits }: Finding): NextStep {
  if (limits?.gpus === 0) return only('Use the CPU: no node of this server has a GPU.')
  return {
    text: 'Set gpu_count so that the job has a GPU, or use the CPU.',
    fix: { key: 'gpu_count', value: 1 },
  }
}

/** What to change if a program finds no GPU, or not enough of them. */
export function adviseNoGpu(finding: Finding): NextStep {
  const { job, limits } = finding
  const gpus = gpusOf(job)
  if (gpus.length === 0) return adviseAnyGpu(finding)
  if (gpus.some(({ simulated }) => simulated))
    return only('Use the CPU: the GPUs of this node are simulated, so no program can compute on them.')
  const own = `the GPUs that the job has: it sees ${gpus.length}, counted from 0. Do not set CUDA_VISIBLE_DEVICES.`
  const perNode = Math.min(...job.resources.got.map((instance) => instance.gpus.length))
  if (perNode >= (limits?.gpus ?? Number.POSITIVE_INFINITY)) return only(`Use only ${own}`)
  return only(`Set gpu_count to more than ${gpus.length}, or use only ${own}`)
}

/** What to change after too little memory of a GPU. */
export function adviseGpuMemory(finding: Finding): NextStep {
  const gpus = gpusOf(finding.job)
  if (gpus.length === 0) return adviseAnyGpu(finding)
  const share = Math.min(...gpus.map((gpu) => gpu.share))
  if (share < 1) {
    return only(
      `Set gpu_fraction to more than ${share}, the part of the GPU that this job had, or use smaller batches.`,
    )
  }
  const mebibytes = least(gpus)
  const gigabytes = Math.ceil((mebibytes * 2 ** 20) / 1e9)
  if (mebibytes >= (finding.limits?.gpu_memory_mib ?? Number.POSITIVE_INFINITY))
    return only(`Use smaller batches: no GPU of this server has more than the ${gigabytes} GB of this one.`)
  return only(
    `Set gpu_memory_gb to more than ${gigabytes}, the memory of this job's GPU in GB, or use smaller batches.`,
  )
}

function least(amounts: readonly { memory_mib: number }[]): number {
  return Math.min(...amounts.map(({ memory_mib }) => memory_mib))
}
