/**
 * `npm run bench:scheduler`: measures how full the scheduler keeps a cluster, compared with published
 * policies, and how fast it decides. `--nodes FILE --pods FILE` reads any trace in openb's format. `--json`
 * prints JSON. `--mixes` compares gpuq with FGD on mixes of the trace's requests. `--month` simulates a month of
 * jobs instead; `--plots DIR` writes the plots of docs/scheduling.md; `--policy P`, `--habit F` and `--seed N` select a part of it, and
 * `--estimates-only` switches predictions off.
 */
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { ms } from '../measure'
import { type Allocation, fillCluster } from './allocation'
import { benchMixes } from './mixes'
import { benchMonth } from './month/main'
import { benchReplan } from './replan'
import { findOpenb, readTrace, type TraceFiles } from './trace'

const { values: options } = parseArgs({
  options: {
    nodes: { type: 'string' },
    pods: { type: 'string' },
    seeds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '2000' },
    json: { type: 'boolean', default: false },
    mixes: { type: 'boolean', default: false },
    month: { type: 'boolean', default: false },
    policy: { type: 'string' },
    habit: { type: 'string' },
    plots: { type: 'string' },
    'estimates-only': { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
})
const say = (line: string) => (options.json ? undefined : console.log(line))

/**
 * Mean allocation in percent over ten seeds, from the artifact of "Beware of Fragmentation" (USENIX ATC
 * 2023).
 */
const published = [
  ['Random', 87.47],
  ['DotProd', 90.85],
  ['GpuClustering', 91.88],
  ['GpuPacking', 92.0],
  ['BestFit', 93.08],
  ['FGD', 95.39],
] as const

const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length
const row = (name: string, percent: number, note = '') =>
  say(`  ${name.padEnd(14)} ${percent.toFixed(2).padStart(6)} %${note}`)

function filesToRead(): TraceFiles | null {
  if (options.nodes && options.pods) return { nodes: options.nodes, pods: options.pods }
  if (options.nodes || options.pods) throw new Error('Give both --nodes FILE and --pods FILE, or neither.')
  return findOpenb()
}

function benchAllocation(files: TraceFiles): Allocation[] {
  const trace = readTrace(files)
  const gpus = trace.nodes.reduce((sum, node) => sum + node.gpus.length, 0)
  say(`Allocated share of ${gpus} GPUs on ${trace.nodes.length} nodes, with requests for 1.3 times as many`)
  if (basename(files.pods) === 'openb_pod_list_default.csv')
    for (const [name, percent] of published) row(name, percent, '  published')
  const runs = Array.from({ length: Number(options.seeds) }, (_, i) => fillCluster(trace, 42 + i))
  const longest = Math.max(...runs.map(({ milliseconds }) => milliseconds))
  row(
    'gpuq',
    mean(runs.map(({ percent }) => percent)),
    `  mean of ${runs.length} seeds (target: above 95.39)`,
  )
  say(
    `  ${placementsPerSecond(runs).toFixed(0)} placements per second; the longest run took ${(longest / 1000).toFixed(1)} s (target: under 10 s)`,
  )
  return runs
}

function benchAllMixes(): void {
  const files = filesToRead()
  if (!files) throw new Error('Select a trace with --nodes FILE --pods FILE.')
  const all = []
  say('Mean allocation by the measure of FGD alone, and by that of gpuq')
  for (const made of benchMixes(readTrace(files), Number(options.seeds))) {
    all.push(made)
    say(`  ${made.mix.padEnd(16)} FGD ${made.fgd.toFixed(2)} %, gpuq ${made.gpuq.toFixed(2)} %`)
  }
  if (options.json) console.log(JSON.stringify({ mixes: all }))
}

function placementsPerSecond(runs: readonly Allocation[]): number {
  const [placements, milliseconds] = runs.reduce<[number, number]>(
    ([count, time], run) => [count + run.placements, time + run.milliseconds],
    [0, 0],
  )
  return placements / (milliseconds / 1000)
}

function benchAllocationAndSpeed(): void {
  const files = filesToRead()
  const runs = files ? benchAllocation(files) : []
  if (!files) {
    say(
      'No trace found. Download openb (github.com/alibaba/clusterdata, cluster-trace-gpu-v2023) to shared/data/openb,',
    )
    say('or select a trace with --nodes FILE --pods FILE.')
  }

  say('\nScheduling pass after the end of one job: 1,250 full nodes with 8 GPUs each')
  const rounds = Number(options.rounds)
  const replan = (waiting: number, policy: 'priority' | 'fair_share') => {
    const figures = benchReplan(waiting, rounds, policy)
    const jobs = waiting.toLocaleString('en').padStart(7)
    say(`  ${jobs} waiting, ${policy.padEnd(10)}  p50 ${ms(figures.median)}, p99 ${ms(figures.p99)}`)
    return figures
  }
  const few = replan(1_000, 'priority')
  const many = replan(100_000, 'priority')
  const fair = replan(100_000, 'fair_share')
  say(
    `  100,000 waiting jobs take ${(many.median / few.median).toFixed(2)} × of 1,000 at p50, ${(many.p99 / few.p99).toFixed(2)} × at p99 (target: within 2 ×, p99 under 20 ms)`,
  )

  if (options.json) {
    console.log(
      JSON.stringify({
        mean_allocation_percent: runs.length > 0 ? mean(runs.map(({ percent }) => percent)) : null,
        allocation_percent: Object.fromEntries(runs.map(({ seed, percent }) => [seed, percent])),
        placements_per_second: runs.length > 0 ? placementsPerSecond(runs) : null,
        replan_p50_ms: many.median,
        replan_p99_ms: many.p99,
        replan_fair_share_p99_ms: fair.p99,
        replan_ratio_p50: many.median / few.median,
        replan_ratio_p99: many.p99 / few.p99,
      }),
    )
  }
}

if (options.month) {
  const { policy, habit, seed, json, plots, 'estimates-only': estimatesOnly } = options
  benchMonth({ policy, habit, seed: Number(seed), predicts: !estimatesOnly, json, plots })
} else if (options.mixes) {
  benchAllMixes()
} else {
  benchAllocationAndSpeed()
}
