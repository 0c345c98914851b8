import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { figuresOfMonth, shareErrors } from './figures'
import { compareGroup } from './group'
import { estimate } from './habits'
import { writePlots } from './plots'
import { simulateMonth } from './simulate'
import { contendedWeek, monthPolicies, monthTrace } from './trace'

const hour = 3_600_000

it('makes the described month', () => {
  const { jobs, nodes, projects } = monthTrace(1)
  expect(jobs).toHaveLength(5_900)
  const gpus = nodes.reduce((sum, node) => sum + node.gpus.length, 0)
  expect(gpus).toBe(64)
  const demand = (ids: readonly string[]) =>
    jobs
      .filter(({ projectId }) => ids.includes(projectId))
      .reduce((sum, { gpus: count, runsMs }) => sum + count * runsMs, 0)
  const all = demand(projects.map(({ id }) => id))
  expect(all / (gpus * 30 * 24 * hour)).toBeCloseTo(0.92, 3)
  expect(demand(['p1']) / all).toBeCloseTo(0.24, 3)
  expect(new Set(jobs.map(({ userId }) => userId)).size).toBe(24)
})

it('estimates as each habit describes', () => {
  const { jobs } = monthTrace(1)
  const ratios = (habit: 'exact' | 'habitual' | 'random') => {
    const estimates = estimate(jobs, habit, 1)
    return jobs.map(({ id, runsMs }) => (estimates.get(id) ?? 0) / runsMs).sort((a, b) => a - b)
  }
  expect(new Set(ratios('exact'))).toEqual(new Set([1]))
  expect(ratios('habitual')[jobs.length >> 1]).toBeGreaterThan(1.4)
  expect(ratios('habitual')[jobs.length >> 1]).toBeLessThan(2)
  expect(ratios('random')[0]).toBeLessThan(0.55)
  expect(ratios('random').at(-1)).toBeGreaterThan(9)
})

it('depends only on the seed, and starts each job once, after its submission', () => {
  const week = contendedWeek(3)
  const trace = { ...week, jobs: week.jobs.slice(0, 100) }
  const estimates = estimate(trace.jobs, 'habitual', 3)
  const run = () =>
    simulateMonth({ trace, policy: 'fair_share', estimates, predicts: true, samples: true, forecastEvery: 3 })
  const { outcomes } = run()
  expect(run().outcomes).toEqual(outcomes)
  expect(new Set(outcomes.map(({ job }) => job.id)).size).toBe(100)
  for (const { job, startedAt } of outcomes) expect(startedAt).toBeGreaterThanOrEqual(job.submittedAt)
  expect(outcomes.some(({ forecastAt }) => forecastAt !== null)).toBe(true)
})

it('others wait no longer beside a group than beside eight jobs of the same GPU hours', () => {
  const month = monthTrace(2)
  const trace = { ...month, jobs: month.jobs.filter(({ submittedAt }) => submittedAt < 5 * 24 * hour) }
  // Eight GPUs for two days, in 576 members of 40 minutes.
  const load = { members: 576, runsMs: (2 / 3) * hour, submittedAt: 24 * hour }
  for (const policy of monthPolicies) {
    const { medianRatio, longestRatio } = compareGroup(trace, policy, load)
    expect(medianRatio, policy).toBeLessThanOrEqual(1.02)
    expect(longestRatio, policy).toBeLessThanOrEqual(1.02)
  }
})

it('writes the plots', () => {
  const week = contendedWeek(3)
  const trace = { ...week, jobs: week.jobs.slice(0, 100) }
  const estimates = estimate(trace.jobs, 'habitual', 3)
  const options = { trace, estimates, predicts: true, samples: true, forecastEvery: 10 }
  const runs = (['fcfs', 'sjf'] as const).map((policy) => {
    return { policy, outcomes: simulateMonth({ ...options, policy }).outcomes }
  })
  const folder = mkdtempSync(join(tmpdir(), 'gpuq-plots-'))
  try {
    writePlots(folder, runs, estimates)
    const plots = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(plots).toHaveLength(3)
    for (const plot of plots) {
      expect(plot).toMatch(/^<svg .*<\/svg>\n$/s)
      expect(plot).not.toContain('NaN')
    }
    expect(plots.join()).toContain('>sjf</text>')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('projects get their shares of a contended week, although some have only large jobs left', () => {
  const trace = contendedWeek(1)
  const { cluster } = simulateMonth({
    trace,
    policy: 'fair_share',
    estimates: estimate(trace.jobs, 'exact', 1),
    predicts: true,
    samples: false,
    forecastEvery: Number.POSITIVE_INFINITY,
    until: 7 * 24 * hour,
  })
  for (const { used, entitled } of shareErrors(trace, cluster.usedMs))
    expect(Math.abs(used / entitled - 1)).toBeLessThan(0.05)
})

it('computes the error of the forecasts, and the waits', () => {
  const trace = contendedWeek(1)
  const [job] = trace.jobs.slice(0, 1).map((first) => ({ ...first, submittedAt: 0, gpus: 2, runsMs: hour }))
  if (!job) throw new Error('the week has no job')
  const outcomes = [
    {
      job,
      startedAt: 2 * hour,
      forecastAt: 3 * hour,
      range: { earliest: hour, expected: 3 * hour, latest: 3 * hour },
    },
    { job: { ...job, id: 'other' }, startedAt: 4 * hour, forecastAt: null, range: null },
    { job: { ...job, id: 'at once' }, startedAt: 0, forecastAt: null, range: null },
  ]
  const figures = figuresOfMonth(trace, outcomes)
  expect(figures).toMatchObject({
    forecasts: 1,
    forecastErrorMedian: 0.5,
    slowdown: 3,
    rangeCoverage: 1,
    rangeWidth: 1,
  })
  expect(figures.waits).toEqual({ jobs: 3, median: 2 * hour, p99: 4 * hour, longest: 4 * hour })
  expect(figures.utilisation).toBeCloseTo((3 * 2) / (64 * 7 * 24), 9)
})

it('entitles a project to its request, and the others to the rest by weight', () => {
  const week = contendedWeek(1)
  const [first] = week.jobs
  if (!first) throw new Error('the week has no job')
  const projects = [
    { id: 'a', weight: 1 },
    { id: 'b', weight: 2 },
    { id: 'c', weight: 1 },
  ]
  const jobOf = (projectId: string, hours: number) => ({ ...first, projectId, gpus: 1, runsMs: hours * hour })
  const trace = { ...week, projects, jobs: [jobOf('a', 100), jobOf('b', 100), jobOf('c', 10)] }
  const used = new Map([
    ['a', 40 * hour],
    ['b', 50 * hour],
    ['c', 10 * hour],
  ])
  expect(shareErrors(trace, used)).toEqual([
    { id: 'a', used: 0.4, entitled: 0.3 },
    { id: 'b', used: 0.5, entitled: 0.6 },
    { id: 'c', used: 0.1, entitled: 0.1 },
  ])
})
