import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { System } from '../system/start-system'
import { call, upload } from './client'
import { type Figures, measureInTurn } from './measure'

const program = join(import.meta.dirname, '..', '..', 'dist', 'cli.js')
const jobs = 20

/** Measures the time from the start of the command line to its end, beside Node.js alone. */
export async function benchCommandLine(
  system: System,
  rounds: number,
): Promise<Record<'node' | 'version' | 'jobs', Figures>> {
  for (let job = 0; job < jobs; job++) await call(...upload(system, 'print("hello")\n'))
  const env = { ...process.env, GPUQ_SERVER: system.url, GPUQ_TOKEN: system.adminToken }
  const timeOf = async (args: string[], holds: string) => {
    const began = performance.now()
    const ended: SpawnSyncReturns<string> = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    const took = performance.now() - began
    if (ended.status !== 0 || !ended.stdout.includes(holds))
      throw new Error(`node ${args.join(' ')} ended with ${ended.status}: ${ended.stderr}`)
    return took
  }
  return measureInTurn(rounds, {
    node: () => timeOf(['--eval', '0'], ''),
    version: () => timeOf([program, '--version'], '.'),
    jobs: () => timeOf([program, 'jobs'], 'pending'),
  })
}
