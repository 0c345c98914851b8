import { simulatedMemoryMib, simulatedModel } from '@/lib/cluster/simulated/simulated-nodes'
import type { Gpu } from './gpu'

/** GPUs that nobody has: their containers are real, only the device request is left out. */
export function simulatedGpus(node: string, count: number): Gpu[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    uuid: `GPU-sim-${node}-${index}`,
    model: simulatedModel,
    memoryMib: simulatedMemoryMib,
    simulated: true,
  }))
}
