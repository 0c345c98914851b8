import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Gpu } from './gpu'
import { parseNvidiaSmi } from './nvidia-smi'
import { simulatedGpus } from './simulated'

export interface Discovery {
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
  /** How long nvidia-smi is waited for: it can hang on a broken driver. */
  patienceMs?: number
}

/** Served where there is no NVIDIA GPU and nothing else was asked for. */
const defaultSimulated = 2
const fields = ['index', 'uuid', 'name', 'memory.total']
const run = promisify(execFile)

/** The GPUs of this machine, or simulated ones where it has none. */
export async function discoverGpus({
  node,
  simulated,
  patienceMs = 10_000,
}: DiscoveryOptions): Promise<Discovery> {
  if (simulated !== undefined) return { gpus: simulatedGpus(node, simulated), source: 'simulated' }
  try {
    const query = [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits']
    // SIGKILL: what hangs in the driver does not answer to less.
    const { stdout } = await run('nvidia-smi', query, { timeout: patienceMs, killSignal: 'SIGKILL' })
    const { gpus, problems } = parseNvidiaSmi(stdout)
    const problem = problems.length > 0 ? { problem: problems.join(' ') } : {}
    return { gpus, source: 'nvidia-smi', ...problem }
  } catch (error) {
    // Without the program there is no NVIDIA driver. With it, GPUs that do not answer are a fault, never simulated ones.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { gpus: simulatedGpus(node, defaultSimulated), source: 'simulated' }
    }
    return {
      gpus: [],
      source: 'nvidia-smi',
      problem: `nvidia-smi failed: ${whatWentWrong(error, patienceMs)}. The node serves no GPUs.`,
    }
  }
}

function whatWentWrong(error: unknown, patienceMs: number): string {
  if (error instanceof Error && 'killed' in error && error.killed)
    return `no answer within ${patienceMs / 1000} s`
  // It says what is wrong on standard output as often as on standard error.
  const said = ['stderr', 'stdout']
    .map((stream) =>
      error instanceof Error && stream in error ? String(Reflect.get(error, stream)).trim() : '',
    )
    .find((text) => text !== '')
  const text = said ?? (error instanceof Error ? error.message : String(error))
  return text.split('\n')[0] ?? 'unknown'
}
