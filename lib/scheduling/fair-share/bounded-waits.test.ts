import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testedValues } from '@/lib/env/testing/test-matrix'
import { node, oneGpu, policy, projectShare } from '../testing/rows'
import { randomNumbers, type SimulatedJob, simulate } from '../testing/simulate'
import type { PolicyName } from '../types'

const names = ['priority', 'sjf', 'fair_share'] as const
const nodes = [node('a', 4), node('b', 4), node('c', 4), node('d', 4)]
const projects = [
  projectShare({ id: 'heavy', weight: 1 }),
  projectShare({ id: 'p', weight: 4 }),
  projectShare({ id: 'q', weight: 4 }),
]
const halfLifeMs = 300
const load = 0.93
/** A run takes seconds. The release suite has more of them. */
const numRuns = Math.max(...testedValues([2], [8]))

/** Jobs of three projects; half of the work is that of the project with the least share. */
function makeJobs(seed: number): SimulatedJob[] {
  const random = randomNumbers(seed)
  const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T
  const jobs = Array.from({ length: 800 }, (_, i) => {
    const projectId = pick('heavy', 'heavy', 'p', 'q')
    const gpuCount = projectId === 'heavy' ? pick(1, 2, 4, 4) : pick(1, 1, 1, 2)
    const runsMs = Math.round(20 + 180 * random())
    const facts = { id: `j${i}`, projectId, userId: pick('u', 'v'), priority: pick(-1, 0, 1) }
    return { ...facts, gpuCount, runsMs, request: { ...oneGpu, gpuCount }, expectedMs: runsMs }
  })
  const work = jobs.reduce((sum, { gpuCount, runsMs }) => sum + gpuCount * runsMs, 0)
  const spanMs = work / (16 * load)
  return jobs.map((job) => ({
    ...job,
    attempt: 0,
    notBefore: null,
    submittedAt: Math.round(spanMs * random()),
  }))
}

function longestWait(jobs: readonly SimulatedJob[], name: PolicyName): number {
  const cluster = { policy: { ...policy, name, ageingMs: 200, halfLifeMs }, nodes, projects, workload: [] }
  const { started } = simulate({ cluster, jobs })
  expect(started.size).toBe(jobs.length)
  return Math.max(...jobs.map(({ id, submittedAt }) => (started.get(id) ?? submittedAt) - submittedAt))
}

describe('at a load below 95 %', () => {
  it.each(names)(
    'at a load below 95 % under %s no job waits longer than three times the longest wait under fcfs',
    (name) => {
      fc.assert(
        fc.property(fc.integer(), (seed) => {
          const jobs = makeJobs(seed)
          // Waits shorter than the half-life do not count under fair_share, and priorities count like ageing times.
          const bound = 3 * Math.max(longestWait(jobs, 'fcfs'), halfLifeMs)
          expect(longestWait(jobs, name)).toBeLessThanOrEqual(bound)
        }),
        { numRuns },
      )
    },
  )
})
