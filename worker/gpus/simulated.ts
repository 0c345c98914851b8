import { simulatedMemoryMib, simulatedModel } from '@/lib/cluster/simulated/simulated-nodes'
import type { Gpu } from './gpu'

/** Creates simulated GPUs: their containers are real, but the GPUs are not requested from the engine. */
export function simulatedGpus(node: string, count: number): Gpu[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    uuid: `GPU-sim-${node}-${index}`,
    model: simulatedModel,
    memoryMib: simulatedMemoryMib,
    simulated: true,
  }))
}
