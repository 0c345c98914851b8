import type { JobDetail } from '@/lib/contract/jobs'
import { visibleText } from '@/lib/contract/text/sanitize-text'

type FailedJob = Pick<JobDetail, 'reason' | 'max_time' | 'environment' | 'resources'>

const cudaMemory =
  /CUDA out of memory|CUDA error: out of memory|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY|RESOURCE_EXHAUSTED: Out of memory/i
const hostMemory = /^(?:[\w.]+\.)?_?(?:Array)?MemoryError\b|DefaultCPUAllocator: can't allocate memory/
const missingModule = /No module named '([^']{1,200})'/

/** What to change so that the job can succeed, as one sentence with the key of its config; null: unknown. */
export function adviseFailure(job: FailedJob, exception: string | null): string | null {
  if (job.reason === 'timeout') return adviseTime(job)
  if (job.reason === 'out_of_memory') return adviseMemory(job)
  if (exception === null) return null
  if (cudaMemory.test(exception)) return adviseGpuMemory(job)
  if (hostMemory.test(exception)) return adviseMemory(job)
  const [, module] = missingModule.exec(exception) ?? []
  return module === undefined ? null : adviseModule(job, module)
}

function adviseTime({ max_time }: FailedJob): string {
  return `Set max_time to more than ${max_time}, the limit of this job in seconds, or continue from checkpoints.`
}

function adviseMemory({ resources: { got } }: FailedJob): string {
  // In a config, a GB of main memory is a GiB.
  const limit = got.length === 0 ? 'what the job had' : `${Number((least(got) / 1024).toFixed(1))}`
  return `Set memory_gb to more than ${limit}, or load less data at a time.`
}

function adviseGpuMemory({ resources: { got } }: FailedJob): string {
  const gpus = got.flatMap((instance) => instance.gpus)
  if (gpus.length === 0) return 'Set gpu_count so that the job has a GPU, or use the CPU.'
  const share = Math.min(...gpus.map((gpu) => gpu.share))
  if (share < 1) {
    return `Set gpu_fraction to more than ${share}, the part of the GPU that this job had, or use smaller batches.`
  }
  const gigabytes = Math.ceil((least(gpus) * 2 ** 20) / 1e9)
  return `Set gpu_memory_gb to more than ${gigabytes}, the memory of this job's GPU in GB, or use smaller batches.`
}

function adviseModule({ environment }: FailedJob, module: string): string {
  const [name = ''] = module.split('.')
  return `Set environment to one that has the module ${visibleText(name, 60)}, because ${environment} does not have it, or upload the module in the directory of the job.`
}

function least(amounts: readonly { memory_mib: number }[]): number {
  return Math.min(...amounts.map(({ memory_mib }) => memory_mib))
}
