import type { PolicyName } from '@/lib/scheduling/types'
import { percentile } from './figures'
import { simulateMonth } from './simulate'
import { type MonthJob, type MonthTrace, monthPolicies, monthTrace } from './trace'

const day = 24 * 3_600_000
const parallel = 8

/** What a group adds to a trace: members that run one after the other in a few places, or as few jobs with the same work. */
export interface GroupLoad {
  members: number
  /** Run time of a member in milliseconds. */
  runsMs: number
  submittedAt: number
}

/** How much longer others wait beside a group than beside eight jobs of the same user with the same GPU hours. 1: as long. */
export interface GroupWaits {
  policy: PolicyName
  medianRatio: number
  longestRatio: number
  meanRatio: number
  /** The median wait beside the group, in milliseconds. */
  medianMs: number
}

/**
 * Simulates a trace with a group of jobs with one GPU each, of which at most eight wait or run at once, and with eight long
 * jobs instead, and compares the waits of everyone else. All estimates are exact.
 */
export function compareGroup(trace: MonthTrace, policy: PolicyName, load: GroupLoad): GroupWaits {
  const { submittedAt, runsMs, members } = load
  const own = (number: number, ms: number, at: number): MonthJob => ({
    ...{ id: `group-${number}`, projectId: 'p0', userId: 'grouper', program: 'sweep' },
    ...{ gpus: 1, priority: 0, submittedAt: at, runsMs: ms },
  })
  const first = (ms: number) => Array.from({ length: parallel }, (_, number) => own(number, ms, submittedAt))
  let entered = parallel
  const beside = waitsBeside(trace, policy, first(runsMs), ({ userId }, now) =>
    userId === 'grouper' && entered < members ? own(entered++, runsMs, now) : null,
  )
  const alone = waitsBeside(trace, policy, first((runsMs * members) / parallel), () => null)
  const ratio = (of: (waits: number[]) => number) => of(beside) / of(alone)
  return {
    policy,
    medianRatio: ratio((waits) => percentile(waits, 0.5)),
    longestRatio: ratio((waits) => percentile(waits, 1)),
    medianMs: percentile(beside, 0.5),
    meanRatio: ratio((waits) => waits.reduce((sum, wait) => sum + wait, 0) / waits.length),
  }
}

/** How long each job of the trace waits, in milliseconds. */
function waitsBeside(
  trace: MonthTrace,
  policy: PolicyName,
  added: readonly MonthJob[],
  next: (ended: MonthJob, now: number) => MonthJob | null,
): number[] {
  const jobs = [...trace.jobs, ...added].sort((a, b) => a.submittedAt - b.submittedAt)
  const { outcomes } = simulateMonth({
    trace: { ...trace, jobs },
    ...{
      policy,
      next,
      estimates: new Map(),
      predicts: false,
      forecastEvery: Number.POSITIVE_INFINITY,
      samples: false,
    },
  })
  return outcomes
    .filter(({ job }) => job.userId !== 'grouper')
    .map(({ job, startedAt }) => startedAt - job.submittedAt)
}

/** Prints the waits of other users beside a group of 10,000 in the simulated month, under each policy. */
export function benchGroup({ seed, json }: { seed: number; json: boolean }): void {
  const load = { members: 10_000, runsMs: (7 * day * parallel) / 10_000, submittedAt: 5 * day }
  const trace = monthTrace(seed)
  const say = (line: string) => (json ? undefined : console.log(line))
  say(
    `Waits of other users beside a group of ${load.members} members with parallel: ${parallel}, compared with eight jobs of`,
  )
  say(
    `the same GPU hours, in a month of ${trace.jobs.length} jobs, seed ${seed} (target: median and longest within 1.02 ×)`,
  )
  const made = monthPolicies.map((policy) => {
    const waits = compareGroup(trace, policy, load)
    const [median, longest, mean] = [waits.medianRatio, waits.longestRatio, waits.meanRatio].map((one) =>
      one.toFixed(3),
    )
    say(
      `  ${policy.padEnd(10)} median ${median} × (${(waits.medianMs / 60_000).toFixed(0)} minutes), longest ${longest} ×, mean ${mean} ×`,
    )
    return waits
  })
  if (json) console.log(JSON.stringify({ group_waits: made }))
}
