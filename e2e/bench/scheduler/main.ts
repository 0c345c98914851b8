/**
 * `npm run bench:scheduler`: measures how full the scheduler keeps a cluster, compared with published
 * policies, and how fast it decides. `--nodes FILE --pods FILE` reads any trace in openb's format. `--json`
 * prints JSON. `--mixes` compares gpuq with FGD on mixes of the trace's requests. `--month` simulates a month of
 * jobs instead; `--plots DIR` writes the plots of docs/scheduling.md; `--policy P`, `--habit F` and `--seed N` select a part of it, and
 * `--estimates-only` switches predictions off. `--group` compares the waits of other users beside a group of 10,000 jobs.
 */
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import type { PolicyName } from '@/lib/scheduling/types'
import { ms } from '../measure'
import { type Allocation, fillCluster } from './allocation'
import { benchMixes } from './mixes'
import { benchGroup } from './month/group'
import { benchMonth } from './month/main'
import { monthPolicies } from './month/trace'
import { benchReplan, type ReplanFigures } from './replan'
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
    group: { type: 'boolean', default: false },
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

  const replans = benchAllReplans()

  if (options.json) {
    const { priority, fair_share: fairShare } = replans
    console.log(
      JSON.stringify({
        mean_allocation_percent: runs.length > 0 ? mean(runs.map(({ percent }) => percent)) : null,
        allocation_percent: Object.fromEntries(runs.map(({ seed, percent }) => [seed, percent])),
        placements_per_second: runs.length > 0 ? placementsPerSecond(runs) : null,
        replan_p50_ms: priority.many.wall.median,
        replan_p99_ms: priority.many.wall.p99,
        replan_fair_share_p99_ms: fairShare.many.wall.p99,
        replan_ratio_p50: priority.many.wall.median / priority.few.wall.median,
        replan_ratio_p99: priority.many.wall.p99 / priority.few.wall.p99,
        replans,
      }),
    )
  }
}

type Replans = Record<PolicyName, { few: ReplanFigures; many: ReplanFigures }>

function benchAllReplans(): Replans {
  say(
    '\nScheduling pass after the end of one job: 1,250 full nodes with 8 GPUs each (target: p99 below 5 ms, and',
  )
  say('at most 2 × as long with 100,000 waiting jobs as with 1,000)')
  const rounds = Number(options.rounds)
  const measure = (name: PolicyName) => {
    const [few, many] = [1_000, 100_000].map((waiting) => {
      const { wall, cpu } = benchReplan(waiting, rounds, name)
      say(
        `  ${name.padEnd(10)} ${waiting.toLocaleString('en').padStart(7)} waiting  p50 ${ms(wall.median)}, p99 ${ms(wall.p99)}; processor time p50 ${ms(cpu.median)}, p99 ${ms(cpu.p99)}`,
      )
      return { wall, cpu }
    }) as [ReplanFigures, ReplanFigures]
    say(
      `  ${name.padEnd(10)} processor time: ${(many.cpu.median / few.cpu.median).toFixed(2)} × at p50, ${(many.cpu.p99 / few.cpu.p99).toFixed(2)} × at p99`,
    )
    return [name, { few, many }]
  }
  return Object.fromEntries(monthPolicies.map(measure)) as Replans
}

if (options.month) {
  const { policy, habit, seed, json, plots, 'estimates-only': estimatesOnly } = options
  benchMonth({ policy, habit, seed: Number(seed), predicts: !estimatesOnly, json, plots })
} else if (options.group) {
  benchGroup({ seed: Number(options.seed), json: options.json })
} else if (options.mixes) {
  benchAllMixes()
} else {
  benchAllocationAndSpeed()
}
