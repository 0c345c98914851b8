import type { System } from '../system/start-system'
import { readCost } from './process-cost'

/** How long nothing happens before the measurement. Node.js gives memory back some time after the start. */
const restMs = 30_000

/** Measures the memory of web server and worker at rest, in MiB: after their start, before the first request. */
export async function benchMemory({ pids }: System): Promise<{ web: number; worker: number }> {
  await new Promise((resolve) => setTimeout(resolve, restMs))
  const memoryOf = async (pid: number | null) => (pid === null ? Number.NaN : (await readCost(pid)).memoryMiB)
  return { web: await memoryOf(pids.web), worker: await memoryOf(pids.worker) }
}
