import type { PolicyName } from '@/lib/scheduling/types'
import { figuresOfMonth, type MonthFigures, shareErrors, type Waits } from './figures'
import { estimate, type Habit, habits } from './habits'
import { type PlottedRun, writePlots } from './plots'
import { simulateMonth } from './simulate'
import { contendedWeek, type MonthTrace, monthPolicies, monthTrace } from './trace'

const hour = 3_600_000
/** A start is forecast for one of this many waiting jobs. */
const forecastEvery = 5

interface MonthChoice {
  /** Absent: all. */
  policy?: string
  habit?: string
  seed: number
  predicts: boolean
  json: boolean
  /** Folder for the plots of the runs with habitual estimates. Absent: no plots. */
  plots?: string
}

interface MonthRun extends MonthFigures {
  policy: PolicyName
  habit: Habit
  /** The longest wait, divided by that under fcfs on the same trace. */
  longestWaitRatio: number
  /** Shares of a contended week; only under fair_share. */
  shares: { id: string; used: number; entitled: number }[]
}

/** Simulates the month for each policy and habit, or for the given ones, and prints what the users would see. */
export function benchMonth(options: MonthChoice): void {
  const { seed, predicts } = options
  const chosenPolicies = choose('--policy', monthPolicies, options.policy)
  const chosenHabits = choose('--habit', habits, options.habit)
  const trace = monthTrace(seed)
  const say = (line: string) => (options.json ? undefined : console.log(line))
  say(`A month of ${trace.jobs.length} jobs on 64 GPUs at 92 % load, seed ${seed}`)
  const runs: MonthRun[] = []
  const plotted: PlottedRun[] = []
  for (const habit of chosenHabits) {
    const reference = run(trace, { policy: 'fcfs', habit, seed, predicts })
    for (const policy of chosenPolicies) {
      const { figures, outcomes } =
        policy === 'fcfs' ? reference : run(trace, { policy, habit, seed, predicts })
      if (habit === 'habitual') plotted.push({ policy, outcomes })
      const longestWaitRatio = figures.waits.longest / reference.figures.waits.longest
      const shares = policy === 'fair_share' ? runWeek({ habit, seed, predicts }) : []
      const made = { ...figures, policy, habit, longestWaitRatio, shares }
      runs.push(made)
      for (const line of toLines(made)) say(line)
    }
  }
  if (options.plots) writePlots(options.plots, plotted, estimate(trace.jobs, 'habitual', seed))
  if (options.json) console.log(JSON.stringify(toJson(seed, runs)))
}

function choose<Name extends string>(
  option: string,
  known: readonly Name[],
  given?: string,
): readonly Name[] {
  if (given === undefined) return known
  const found = known.filter((name) => name === given)
  if (found.length === 0) throw new Error(`${option} must be one of: ${known.join(', ')}`)
  return found
}

type RunChoice = Pick<MonthChoice, 'seed' | 'predicts'> & { habit: Habit }

function run(trace: MonthTrace, choice: RunChoice & { policy: PolicyName }) {
  const { policy, habit, seed, predicts } = choice
  const estimates = estimate(trace.jobs, habit, seed)
  const { outcomes } = simulateMonth({ trace, policy, estimates, predicts, samples: true, forecastEvery })
  return { figures: figuresOfMonth(trace, outcomes), outcomes }
}

function runWeek({ habit, seed, predicts }: RunChoice) {
  const trace = contendedWeek(seed)
  const estimates = estimate(trace.jobs, habit, seed)
  const until = trace.days * 24 * hour
  const { cluster } = simulateMonth({
    trace,
    policy: 'fair_share',
    estimates,
    predicts,
    samples: false,
    forecastEvery: Number.POSITIVE_INFINITY,
    until,
  })
  return shareErrors(trace, cluster.usedMs)
}

function shareErrorMax(shares: MonthRun['shares']): number {
  return Math.max(0, ...shares.map(({ used, entitled }) => Math.abs(used / entitled - 1)))
}

const percent = (value: number) => `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`
const hours = (value: number) => `${(value / hour).toFixed(1)} h`

function toLines(made: MonthRun): string[] {
  const { policy, habit, waits, longestWaitRatio, shares } = made
  const groups = (known: ReadonlyMap<number | string, Waits>, unit: string) =>
    [...known].map(([key, each]) => {
      return `    ${`${key}${unit}`.padEnd(8)} ${describeWaits(each)}`
    })
  const lines = [
    `\n${policy}, ${habit} estimates`,
    `  forecast error  median ${percent(made.forecastErrorMedian)}, p90 ${percent(made.forecastErrorP90)} of the wait (${made.forecasts} forecasts)`,
    `  ranges        ${percent(made.rangeCoverage)} contain the start, median width ${percent(made.rangeWidth)} of the wait`,
    `  utilisation ${percent(made.utilisation)}, mean slowdown ${made.slowdown.toFixed(1)}`,
    `  waits        ${describeWaits(waits)}; longest ${longestWaitRatio.toFixed(2)} × of fcfs`,
    ...groups(made.waitsByGpus, ' GPUs'),
    ...groups(made.waitsByProject, ''),
  ]
  if (shares.length === 0) return lines
  const each = shares.map(({ id, used, entitled }) => `${id} ${percent(used)} of ${percent(entitled)}`)
  return [...lines, `  contended week: ${each.join(', ')}; largest error ${percent(shareErrorMax(shares))}`]
}

function describeWaits({ median, p99, longest }: Waits): string {
  return `median ${hours(median)}, p99 ${hours(p99)}, longest ${hours(longest)}`
}

/** The keys at the top are those of the worst run. */
function toJson(seed: number, runs: readonly MonthRun[]) {
  const all = runs.map((one) => ({
    policy: one.policy,
    habit: one.habit,
    forecast_error_median: one.forecastErrorMedian,
    forecast_error_p90: one.forecastErrorP90,
    range_coverage: one.rangeCoverage,
    range_width_median: one.rangeWidth,
    longest_wait_ratio: one.longestWaitRatio,
    share_error_max: one.policy === 'fair_share' ? shareErrorMax(one.shares) : null,
    utilisation: one.utilisation,
    mean_slowdown: one.slowdown,
    waits: one.waits,
    waits_by_gpus: Object.fromEntries(one.waitsByGpus),
    waits_by_project: Object.fromEntries(one.waitsByProject),
    shares: one.shares,
  }))
  const worst = (
    key: 'forecast_error_median' | 'forecast_error_p90' | 'longest_wait_ratio' | 'share_error_max',
  ) => Math.max(...all.map((one) => one[key] ?? 0))
  return {
    seed,
    forecast_error_median: worst('forecast_error_median'),
    forecast_error_p90: worst('forecast_error_p90'),
    range_coverage: Math.min(...all.map((one) => one.range_coverage)),
    longest_wait_ratio: worst('longest_wait_ratio'),
    share_error_max: worst('share_error_max'),
    runs: all,
  }
}
