import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import type { NodeState, PolicyName } from '@/lib/scheduling/types'

const hour = 3_600_000
const day = 24 * hour

/** A job of a simulated month, without an estimate. Times are in milliseconds from its begin. */
export interface MonthJob {
  id: string
  projectId: string
  userId: string
  /** The name of the program; each user has a few. */
  program: string
  gpus: number
  priority: number
  submittedAt: number
  runsMs: number
}

export interface MonthTrace {
  days: number
  nodes: readonly NodeState[]
  projects: readonly { id: string; weight: number }[]
  /** In the order of submission. */
  jobs: readonly MonthJob[]
}

const nodeCount = 8
const gpusPerNode = 8
const usersPerProject = 4
const programsPerUser = 4

/** Sum of the weights: 12. `demand` is the share of the month's load: p1 requests 24 % and is entitled to 17 %. */
const projects = [
  { id: 'p0', weight: 3, demand: 0.21, contended: 1.3 },
  { id: 'p1', weight: 2, demand: 0.24, contended: 1.8 },
  { id: 'p2', weight: 3, demand: 0.2, contended: 1.2 },
  { id: 'p3', weight: 1, demand: 0.08, contended: 2 },
  { id: 'p4', weight: 2, demand: 0.19, contended: 1.4 },
  { id: 'p5', weight: 1, demand: 0.08, contended: 0.5 },
] as const
const weights = projects.reduce((sum, { weight }) => sum + weight, 0)

/** The policies that the simulation compares. The first one is the reference for the longest wait. */
export const monthPolicies: readonly PolicyName[] = ['fcfs', 'priority', 'sjf', 'fair_share']

/** Thirty days on 64 GPUs with 24 users at 92 % load: 5,900 jobs. */
export function monthTrace(seed: number): MonthTrace {
  const load = 0.92
  return makeTrace(
    seed,
    30,
    5_900,
    projects.map(({ demand }) => demand * load),
  )
}

/**
 * A week in which every project but one requests more than its share of the cluster; the last one requests half. A
 * tenth of the jobs already waits when the week begins, so that the cluster is contended from then on.
 */
export function contendedWeek(seed: number): MonthTrace {
  const demands = projects.map(({ weight, contended }) => (contended * weight) / weights)
  const random = randomNumbers(seed + 2_000_000)
  const week = makeTrace(seed + 1_000_000, 7, 2_000, demands)
  const jobs = week.jobs.map((job) => (random() < 0.1 ? { ...job, submittedAt: 0 } : job))
  return { ...week, jobs: jobs.sort(bySubmission) }
}

/** @param demands the requested share of the cluster's GPU time by project. */
function makeTrace(seed: number, days: number, count: number, demands: readonly number[]): MonthTrace {
  const random = randomNumbers(seed)
  const total = demands.reduce((sum, each) => sum + each, 0)
  const jobs: MonthJob[] = []
  for (const [index, { id: projectId }] of projects.entries()) {
    const demand = demands[index] ?? 0
    const users = Array.from({ length: usersPerProject }, (_, i) => makeUser(`${projectId}u${i}`, random))
    const own = Array.from({ length: Math.round((count * demand) / total) }, (_, i) => {
      // The first users of a project submit more than the last.
      const user = users[Math.floor(random() ** 1.5 * usersPerProject)] ?? []
      const program = user[Math.floor(random() * programsPerUser)] as Program
      const runsMs = program.medianMs * Math.exp(program.spread * normal(random))
      const job = { ...program, id: `${projectId}-${i}`, projectId, priority: pickPriority(random) }
      return { ...job, submittedAt: arrival(days, random), runsMs: Math.min(day, Math.max(60_000, runsMs)) }
    })
    const wanted = demand * days * day * nodeCount * gpusPerNode
    const factor = wanted / own.reduce((sum, { gpus, runsMs }) => sum + gpus * runsMs, 0)
    for (const { medianMs: _, spread: __, ...job } of own)
      jobs.push({ ...job, runsMs: Math.round(job.runsMs * factor) })
  }
  jobs.sort(bySubmission)
  return { days, nodes: makeNodes(), projects, jobs }
}

function bySubmission(a: MonthJob, b: MonthJob): number {
  return a.submittedAt - b.submittedAt || (a.id < b.id ? -1 : 1)
}

interface Program {
  userId: string
  program: string
  gpus: number
  medianMs: number
  /** Standard deviation of the logarithm of its run times. */
  spread: number
}

function makeUser(userId: string, random: () => number): Program[] {
  return Array.from({ length: programsPerUser }, (_, i) => ({
    userId,
    program: `${userId}-program${i}`,
    gpus: [1, 1, 1, 1, 2, 2, 4, 8][Math.floor(random() * 8)] ?? 1,
    medianMs: hour * Math.exp(1.2 * normal(random)),
    spread: 0.2 + 0.6 * random(),
  }))
}

/** A time of submission: more by day than by night, more on weekdays. */
function arrival(days: number, random: () => number): number {
  for (;;) {
    const at = random() * days * day
    const isWeekend = Math.floor(at / day) % 7 >= 5
    const wave = 1 + 0.4 * Math.sin((2 * Math.PI * (at - 8 * hour)) / day)
    if (random() * 1.4 < wave * (isWeekend ? 0.6 : 1)) return Math.round(at)
  }
}

function pickPriority(random: () => number): number {
  const drawn = random()
  if (drawn < 0.1) return 1
  return drawn < 0.15 ? -1 : 0
}

/** A number from the standard normal distribution (Box and Muller). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function makeNodes(): NodeState[] {
  return Array.from({ length: nodeCount }, (_, number) => ({
    id: `n${number}`,
    blocked: null,
    pool: 'on-demand',
    cpuMilli: 128_000,
    memoryMib: 1_048_576,
    usedCpuMilli: 0,
    usedMemoryMib: 0,
    gpus: Array.from({ length: gpusPerNode }, (_, index) => {
      const id = `n${number}/${index}`
      return { id, index, model: 'H100', memoryMib: 81_920, allocatedMilli: 0, blocked: null }
    }),
  }))
}
