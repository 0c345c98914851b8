import type { GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import { simulatedMemoryMib, simulatedModel } from '@/lib/cluster/simulated/simulated-nodes'
import { readGpus } from './read-gpus'
import { NvidiaSmiFault } from './run-nvidia-smi'

/** A GPU that its node offers. */
interface Gpu {
  index: number
  uuid: string
  model: string
  memoryMib: number
  /** True for a simulated GPU: its containers are real, but it is not requested from the engine. */
  simulated: boolean
}

interface Discovery {
  gpus: Gpu[]
  source: 'nvidia-smi' | 'simulated'
  /** The problem, as a sentence for the admin. */
  problem?: string
}

export interface DiscoveryOptions {
  /** The node's name, which is part of a simulated GPU's UUID. */
  node: string
  /** Serve this many simulated GPUs, whatever the machine has. */
  simulated?: number | undefined
  /** Serve at most this many GPUs; also the number of simulated GPUs if there are no real ones. */
  maxGpus?: number | undefined
  /** Number of simulated GPUs if the machine has no GPU; default: 2. */
  simulatedByDefault?: number
  /** The node had real GPUs before, so a missing driver does not lead to simulated ones. */
  hadGpus?: boolean
  /** Timeout for nvidia-smi, which can hang on a broken driver. */
  timeoutMs?: number
}

/** Returns the GPUs of this machine, or simulated ones if it has none. */
export async function discoverGpus({
  node,
  simulated,
  maxGpus,
  simulatedByDefault = 2,
  hadGpus = false,
  timeoutMs,
}: DiscoveryOptions): Promise<Discovery> {
  if (simulated !== undefined) return { gpus: simulatedGpus(node, simulated), source: 'simulated' }
  try {
    const report = firstGpus(await readGpus(timeoutMs), maxGpus)
    const gpus = report.gpus.map(({ index, uuid, model, memoryMib }) => ({
      index,
      uuid,
      model,
      memoryMib,
      simulated: false,
    }))
    const problem = problemOf(report)
    return { gpus, source: 'nvidia-smi', ...(problem ? { problem } : {}) }
  } catch (error) {
    if (!(error instanceof NvidiaSmiFault)) throw error
    // Without nvidia-smi there is no NVIDIA driver. With it, GPUs that do not respond are a fault and never replaced
    // by simulated ones.
    if (error.code === 'absent' && !hadGpus)
      return { gpus: simulatedGpus(node, maxGpus ?? simulatedByDefault), source: 'simulated' }
    return { gpus: [], source: 'nvidia-smi', problem: problemOfFailure(error) }
  }
}

/** Limits a report to the first GPUs. A faulty one among them is not replaced by a later one. */
export function firstGpus(report: GpuReport, maxGpus: number | undefined): GpuReport {
  return maxGpus === undefined
    ? report
    : { ...report, gpus: report.gpus.filter(({ index }) => index < maxGpus) }
}

/** Every message about nvidia-smi starts with its name, which identifies this warning of the node. */
export function problemOf({ faults }: GpuReport): string | null {
  if (faults.length === 0) return null
  return `nvidia-smi reports too little about some GPUs to use them. ${faults.map(({ message }) => message).join(' ')}`
}

export function problemOfFailure({ code, message }: NvidiaSmiFault): string {
  const advice =
    code === 'absent'
      ? ' Reinstall the driver, or set GPUQ_SIMULATED_GPUS to use simulated GPUs instead.'
      : ''
  return `nvidia-smi failed: ${message}. GPUs that do not respond are not allocated.${advice}`
}

/** Containers on simulated GPUs are real: only the device request is left out. */
function simulatedGpus(node: string, count: number): Gpu[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    uuid: `GPU-sim-${node}-${index}`,
    model: simulatedModel,
    memoryMib: simulatedMemoryMib,
    simulated: true,
  }))
}
