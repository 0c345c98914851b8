import type { JobResources } from '@/lib/contract/cluster/job-resources'
import { formatGib, formatNeed, formatShare } from '../../cluster/format-amounts'
import { formatCount } from '../../ui/format-number'

/** Below this mean load, fewer GPUs are enough. */
const littleLoad = 0.4
/** From this load, no advice is needed. */
const fullLoad = 0.8
/** Requests above this multiple of the use are too large. */
const farMore = 4
/** The safety margin of advice. */
const margin = 1.25

/** A job's request: "2 GPUs, 4 cores, 16 GB of memory". */
export function describeRequested({ asked }: JobResources): string {
  const { cpu, memory_gb, gpu_model, instance_count } = asked
  const each = joinKnown(', ', [
    gpu_model === null ? formatNeed(asked) : `${formatNeed(asked)} (${gpu_model})`,
    cpu === null ? null : formatCount(cpu, 'core'),
    memory_gb === null ? null : `${memory_gb} GB of memory`,
  ])
  return instance_count > 1 ? `${instance_count} instances, each with ${each}` : each
}

function joinKnown(separator: string, parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(separator)
}

/** The used part of a job's resources; null if nothing was measured. */
export function describeUsed(resources: JobResources): string | null {
  return joinKnown(' ', [describeContainerUsed(resources), describeGpusUsed(resources)]) || null
}

/** The cores of all instances and the highest memory use of one instance. */
function describeContainerUsed({ got, used }: JobResources): string | null {
  const { cpu_cores_mean: mean, memory_peak_mib: peak } = used
  if (mean === null || peak === null || got.length === 0) return null
  const cores = got.reduce((sum, instance) => sum + instance.cpu_milli, 0) / 1000
  const size = Math.min(...got.map(({ memory_mib }) => memory_mib))
  return `The job used ${formatCores(mean)} of ${formatCount(cores, 'core')} and at most ${formatMemory(peak)} of ${formatMemory(size)} of memory.`
}

function formatCores(cores: number): string {
  return String(Number(cores.toFixed(cores < 1 ? 2 : 1)))
}

function formatMemory(mib: number): string {
  return mib < 1024 ? `${mib} MiB` : formatGib(mib)
}

/** The used part of a job's GPUs; null if it had none. */
function describeGpusUsed({ got, used }: JobResources): string | null {
  const gpus = got.flatMap((instance) => instance.gpus)
  if (gpus.length === 0) return null
  if (gpus.every(({ simulated }) => simulated)) return 'The GPUs were simulated, so nothing was measured.'
  if (used.gpu_load_mean === null && used.gpu_memory_peak_mib === null) {
    return 'The job ended before its GPUs were measured.'
  }
  const load = used.gpu_load_mean === null ? null : `a mean load of ${formatShare(used.gpu_load_mean)}`
  const size = Math.min(...gpus.map(({ memory_mib }) => memory_mib))
  const peak =
    used.gpu_memory_peak_mib === null
      ? null
      : `at most ${formatGib(used.gpu_memory_peak_mib)} of ${formatGib(size)} of memory`
  return `The GPUs had ${joinKnown(' and ', [load, peak])}.`
}

/** What to request next time; null without advice. */
export function adviseResources(resources: JobResources): string | null {
  return joinKnown(' ', [adviseGpus(resources), adviseContainer(resources)]) || null
}

/** Only for values in the config. The others come with the GPUs. */
function adviseContainer({ asked, got, used }: JobResources): string | null {
  const mean = used.cpu_cores_mean === null ? null : used.cpu_cores_mean / got.length
  const peak = used.memory_peak_mib === null ? null : used.memory_peak_mib / 1024
  const keys = [adviseLess('cpu', asked.cpu, mean), adviseLess('memory_gb', asked.memory_gb, peak)]
  const less = joinKnown(', ', keys)
  return less === '' ? null : `You can request less: ${less}.`
}

function adviseLess(key: string, asked: number | null, used: number | null): string | null {
  if (asked === null || used === null || asked < used * farMore) return null
  const enough = Math.max(1, Math.ceil(used * margin))
  return enough < asked ? `${key}: ${enough}` : null
}

function adviseGpus({ asked, got, used }: JobResources): string | null {
  const gpus = got.flatMap((instance) => instance.gpus)
  const { gpu_load_mean: load, gpu_memory_peak_mib: peak } = used
  const [first] = gpus
  if (!first || load === null) return null
  // Measurements of a shared GPU include other jobs.
  if (gpus.some(({ share }) => share < 1)) return null
  if (load >= fullLoad) return 'The GPUs were well used.'
  if (load >= littleLoad) return null
  if (asked.gpu_count > 1) return `You can request fewer GPUs: gpu_count: ${fewer(asked.gpu_count, load)}.`
  const fraction = findFraction(load, peak === null ? 1 : peak / first.memory_mib)
  if (fraction !== null) return `You can request a part of a GPU: gpu_fraction: ${fraction}.`
  const need = peak === null ? null : Math.ceil((peak * 2 ** 20) / 1e9)
  if (need !== null && asked.gpu_memory_gb !== null && asked.gpu_memory_gb > need * 2) {
    return `You can request smaller GPUs: gpu_memory_gb: ${need}.`
  }
  return null
}

function fewer(count: number, load: number): number {
  return Math.max(1, Math.min(count - 1, Math.ceil((count * load) / fullLoad)))
}

const parts = [0.25, 0.5] as const

/** The smallest usual fraction for load and memory with a margin; null if the job needs a whole GPU. */
function findFraction(load: number, memory: number): number | null {
  return parts.find((part) => load <= part * fullLoad && memory <= part * fullLoad) ?? null
}
