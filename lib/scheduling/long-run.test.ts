import { expect, it } from 'vitest'
import { node, oneGpu, policy, projectShare } from './testing/rows'
import { type SimulatedJob, simulate } from './testing/simulate'

/** Jobs that arrive at a fixed interval. */
function stream(id: string, every: number, count: number, job: Partial<SimulatedJob>): SimulatedJob[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${id}${i}`,
    projectId: 'p',
    userId: 'u',
    attempt: 0,
    priority: 0,
    submittedAt: i * every,
    notBefore: null,
    expectedMs: 1_000,
    runsMs: 1_000,
    request: oneGpu,
    ...job,
  }))
}

it('under sjf a long job does not starve among short ones', () => {
  const ageingMs = 10_000
  const long = stream('long', 0, 1, { submittedAt: 500, expectedMs: 32_000, runsMs: 32_000 })
  // More than the one GPU can run.
  const { order, started } = simulate({
    cluster: {
      policy: { ...policy, name: 'sjf', ageingMs },
      nodes: [node('n', 1)],
      projects: [],
      workload: [],
    },
    jobs: [...stream('short', 700, 200, {}), ...long],
    until: 150_000,
  })
  // Five doublings of the duration count like five ageing intervals.
  const ahead = order.slice(0, order.indexOf('long0'))
  expect(started.has('long0')).toBe(true)
  expect(ahead.length).toBeGreaterThan(50)
  expect(
    ahead.map((id) => Number(id.slice('short'.length)) * 700).every((at) => at <= 500 + 5 * ageingMs),
  ).toBe(true)
})

it('users of a project share it evenly, however much each requests', () => {
  const users = { modest: 200, greedy: 2_000 }
  const project = projectShare()
  const jobs = Object.entries(users).flatMap(([userId, count]) =>
    stream(userId, 0, count, { userId }).map((job, i) => ({ ...job, runsMs: 500 + ((i * 37) % 1_001) })),
  )
  const { heldByUser } = simulate({
    cluster: {
      policy: { ...policy, name: 'fair_share' },
      nodes: [node('n', 4)],
      projects: [project],
      workload: [],
    },
    jobs,
    until: 60_000,
  })
  const held = Object.keys(users).map((id) => heldByUser.get('p')?.get(id) ?? 0)
  const sum = held.reduce((total, each) => total + each, 0)
  for (const each of held) expect(Math.abs(each / (sum / 2) - 1)).toBeLessThan(0.05)
})
