import { setTimeout as sleep } from 'node:timers/promises'
import { ensureFirstSimulatedNodes } from '@/lib/cluster/simulated/simulated-nodes'
import { GpuqError } from '@/lib/contract/errors'
import { env } from '@/lib/env'
import { startsSimulatedNodes } from '@/lib/env/simulated-nodes'
import type { Report } from '../report.mjs'

const wanted = { nodeCount: 2, gpusPerNode: 8 }
const lookEveryMs = 500
const longestMs = 60_000

/**
 * Creates two simulated nodes of eight GPUs at the first start, if the environment asks for a cluster and there is no GPU.
 * Waits for the worker that hosts them. A failure does not stop gpuq, because an admin can create them later.
 */
export async function createFirstSimulatedNodes(report: Report, signal: AbortSignal): Promise<void> {
  if (!startsSimulatedNodes(env())) return
  for (const begun = performance.now(); ; await sleep(lookEveryMs, undefined, { signal })) {
    try {
      const created = await ensureFirstSimulatedNodes(wanted)
      if (created) report.line('No GPU was found: jobs run on two simulated nodes with eight GPUs each.')
      return
    } catch (error) {
      if (!(error instanceof GpuqError && error.code === 'conflict')) throw error
      if (performance.now() - begun < longestMs) continue
      report.warn(`The simulated nodes were not created: ${error.message} POST /gpu/initialize creates them.`)
      return
    }
  }
}
