import type { System } from '../system/start-system'
import { bearer } from './client'
import { storeJobs, timeOf } from './job-list'
import { type Figures, measureInTurn } from './measure'

const ended = 1_000_000
const waiting = 100_000

/** Measures what monitoring asks for, with 1,000,000 ended and 100,000 waiting jobs. */
export async function benchLargeQueue(
  system: System,
  rounds: number,
): Promise<Record<'metrics' | 'queue' | 'status', Figures>> {
  await storeJobs(system, ended)
  await storeJobs(system, waiting, true)
  const headers = bearer(system)
  return measureInTurn(rounds, {
    metrics: () => timeOf(`${system.url}/metrics`, headers, 'gpuq_jobs_waiting'),
    queue: () => timeOf(`${system.url}/queue?limit=50`, headers, 'queued_total'),
    status: () => timeOf(`${system.url}/orchestrator/status`, headers, 'queued'),
  })
}
