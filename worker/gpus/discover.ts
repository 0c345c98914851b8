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
}

/** nvidia-smi can hang on a broken driver. */
const patienceMs = 10_000
/** Served where there is no NVIDIA GPU and nothing else was asked for. */
const defaultSimulated = 2
const fields = ['index', 'uuid', 'name', 'memory.total']
const run = promisify(execFile)

/** The GPUs of this machine, or simulated ones where it has none. */
export async function discoverGpus({ node, simulated }: DiscoveryOptions): Promise<Discovery> {
  if (simulated !== undefined) return { gpus: simulatedGpus(node, simulated), source: 'simulated' }
  try {
    const { stdout } = await run(
      'nvidia-smi',
      [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits'],
      {
        timeout: patienceMs,
      },
    )
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
      problem: `nvidia-smi failed: ${firstLine(error)}. The node serves no GPUs.`,
    }
  }
}

function firstLine(error: unknown): string {
  if (error instanceof Error && 'killed' in error && error.killed)
    return `no answer within ${patienceMs / 1000} s`
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return (said || (error instanceof Error ? error.message : String(error))).split('\n')[0] ?? 'unknown'
}
