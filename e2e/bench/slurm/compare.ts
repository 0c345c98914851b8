import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureSlurm } from '@/deploy/checks/programs/slurm.mjs'
import { fourNodes, SlurmCluster } from '@/worker/slurm/testing/slurm-cluster'
import { submitAndWatch } from '../first-output'
import { type Figures, figuresOf } from '../measure'
import { withCleanup, withSystem } from '../with-system'
import { BareSbatch } from './bare-sbatch'
import { type Drain, drainGpuq, untilNodesReady } from './drain'

/** What one contender needed. */
export interface Contender {
  drain: Drain
  /** From the submission to the first line. */
  first: Figures
}

export interface ComparisonOptions {
  jobs: number
  /** How often the first line is measured. */
  rounds: number
  /** Whether gpuq's builtin engine takes part. */
  builtin: boolean
  progress(note: string): void
}

/**
 * Measures short jobs by bare `sbatch`, by gpuq on Slurm, and by gpuq's builtin engine, on a real Slurm of four nodes with
 * simulated GPUs. All run the same container.
 */
export async function compareWithSlurm({ jobs, rounds, builtin, progress }: ComparisonOptions): Promise<{
  bare: Contender
  onSlurm: Contender
  builtin: Contender | null
}> {
  await ensureSlurm({ progress })
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-bench-slurm-'))
  try {
    const slurm = await SlurmCluster.start()
    return await withCleanup(
      () => slurm.stop(),
      async () => {
        progress('bare sbatch')
        const bare = await measureBare(slurm, jobs, rounds)
        progress('gpuq on Slurm')
        const env = { GPUQ_ENGINE: 'slurm', GPUQ_SLURM_DIRECTORY: directory, ...slurm.env }
        const onSlurm = await measureGpuq(env, jobs, rounds)
        progress('gpuq builtin')
        const alone = builtin ? await measureGpuq({ GPUQ_ENGINE: 'builtin' }, jobs, rounds) : null
        return { bare, onSlurm, builtin: alone }
      },
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** One round is not counted. */
async function repeat(rounds: number, measure: () => Promise<number>): Promise<Figures> {
  const samples: number[] = []
  for (let round = 0; round <= rounds; round++) samples.push(await measure())
  return figuresOf(samples.slice(1))
}

async function measureBare(slurm: SlurmCluster, jobs: number, rounds: number): Promise<Contender> {
  const bare = await BareSbatch.prepare(slurm)
  try {
    return { first: await repeat(rounds, () => bare.firstLine()), drain: await bare.drain(jobs) }
  } finally {
    await bare.remove()
  }
}

function measureGpuq(env: Record<string, string>, jobs: number, rounds: number): Promise<Contender> {
  const nodeNames = fourNodes.map(({ name }) => name)
  const options = { workers: nodeNames.length, nodeNames, simulatedGpus: 8, env }
  return withSystem(options, async (system) => {
    await untilNodesReady(system, nodeNames.length)
    return {
      first: await repeat(rounds, () => submitAndWatch(system)),
      drain: await drainGpuq(system, jobs),
    }
  })
}

const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`

/** A line about the drain of one contender. */
export const describeDrain = (name: string, { drain }: Contender): string =>
  `  ${name.padEnd(16)} ${seconds(drain.drained).padStart(8)} (submitted after ${seconds(drain.submitted)})`
