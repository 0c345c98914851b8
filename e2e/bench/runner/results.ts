import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describeMachine } from '../../soak/write-results'
import type { Outcome } from './run-parts'

/** Where the figures of the latest run are. */
export const resultsFile = join(import.meta.dirname, '..', '..', '..', 'test-results', 'bench.json')

/** Where and when a run measures. */
interface About {
  date: string
  machine: string
  node: string
  engine: string
}

export async function describeRun(): Promise<About> {
  const version = promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'])
  return {
    date: new Date().toISOString(),
    machine: describeMachine(),
    node: process.versions.node,
    // The parts that need `docker` say that it is missing.
    engine: await version.then(
      ({ stdout }) => `Docker ${stdout.trim()}`,
      () => 'unknown',
    ),
  }
}

/**
 * Provides a function that writes what a run has measured until now. The figures have their keys at the top level, as
 * draw-targets.ts reads them.
 */
export function createResults(about: About, file = resultsFile): (outcome: Outcome) => Promise<void> {
  const loads = [loadavg()[0] ?? 0]
  return async ({ figures, failed, leftOut, tookS }) => {
    loads.push(loadavg()[0] ?? 0)
    const load = `load average ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`
    const results = { ...about, load, seconds: tookS, failed, left_out: leftOut, ...figures }
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
  }
}
