import type { GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import { simulatedMemoryMib, simulatedModel } from '@/lib/cluster/simulated/simulated-nodes'
import type { Gpu } from './gpu'
import { readGpus } from './read-gpus'
import { NvidiaSmiFault } from './run-nvidia-smi'

interface Discovery {
  gpus: Gpu[]
  source: 'nvidia-smi' | 'simulated'
  /** What was wrong, in a sentence for the admin. */
  problem?: string
}

export interface DiscoveryOptions {
  /** The node's name: part of a simulated GPU's UUID. */
  node: string
  /** Serve this many simulated GPUs whatever the machine has. */
  simulated?: number | undefined
  /** Serve so many of those that are there, the first ones; also how many are simulated where there is none. */
  most?: number | undefined
  /** It had real GPUs before: they are not replaced by simulated ones because their driver is gone. */
  hadGpus?: boolean
  /** How long nvidia-smi is waited for: it can hang on a broken driver. */
  patienceMs?: number
}

/** Served where there is no NVIDIA GPU and nothing else was asked for. */
const defaultSimulated = 2

/** The GPUs of this machine, or simulated ones where it has none. */
export async function discoverGpus({
  node,
  simulated,
  most,
  hadGpus = false,
  patienceMs,
}: DiscoveryOptions): Promise<Discovery> {
  if (simulated !== undefined) return { gpus: simulatedGpus(node, simulated), source: 'simulated' }
  try {
    const report = firstGpus(await readGpus(patienceMs), most)
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
    // Without the program there is no NVIDIA driver. With it, GPUs that do not answer are a fault, never simulated ones.
    if (error.code === 'absent' && !hadGpus)
      return { gpus: simulatedGpus(node, most ?? defaultSimulated), source: 'simulated' }
    return { gpus: [], source: 'nvidia-smi', problem: problemOfFailure(error) }
  }
}

/** The report without the GPUs that are not to be served. A broken one among the first has no other in its place. */
export function firstGpus(report: GpuReport, most: number | undefined): GpuReport {
  return most === undefined ? report : { ...report, gpus: report.gpus.filter(({ index }) => index < most) }
}

/** Every sentence about nvidia-smi begins with its name: by that the node's warnings are told apart. */
export function problemOf({ faults }: GpuReport): string | null {
  if (faults.length === 0) return null
  return `nvidia-smi does not tell enough of some GPUs to serve them. ${faults.map(({ message: says }) => says).join(' ')}`
}

export function problemOfFailure({ code, message }: NvidiaSmiFault): string {
  const advice =
    code === 'absent'
      ? ' Install the driver again, or set GPUQ_SIMULATED_GPUS to serve simulated ones in their place.'
      : ''
  return `nvidia-smi failed: ${message}. GPUs that do not answer are not given out.${advice}`
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
