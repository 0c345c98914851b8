import { Scheduler } from '@/lib/scheduling/scheduler'
import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import type { NodeState, PolicyName, ResourceRequest, WaitingJob } from '@/lib/scheduling/types'
import { type Figures, figuresOf } from '../measure'

const nodeCount = 1_250
const gpusPerNode = 8
const hour = 3_600_000
/** Rounds that are not measured, because the code is not optimized yet. */
const warmUp = 300

export interface ReplanFigures {
  wall: Figures
  /** Processor time of the whole process. Other programs on the machine hardly change it. */
  cpu: Figures
}

/**
 * Measures a scheduling pass after the end of one job, on a full cluster of 10,000 GPUs with this many
 * waiting jobs. Each ended job is replaced, so that the queue keeps its length.
 */
export function benchReplan(waiting: number, rounds: number, name: PolicyName): ReplanFigures {
  const random = randomNumbers(waiting)
  const jobs = Array.from({ length: waiting + nodeCount * gpusPerNode }, (_, i) => makeJob(i, random))
  const scheduler = new Scheduler({
    now: 0,
    policy: {
      name,
      running: true,
      maxConcurrentJobs: null,
      backfill: true,
      ageingMs: hour,
      halfLifeMs: 24 * hour,
    },
    nodes: Array.from({ length: nodeCount }, (_, i) => makeNode(i)),
    running: [],
    waiting: [],
    projects: [],
    workload: [],
  })
  for (const job of jobs) scheduler.submit(job)
  scheduler.decide(0)
  trim(scheduler, waiting)
  const wall: number[] = []
  const cpu: number[] = []
  for (let round = -warmUp; round < rounds; round++) {
    const [jobId, endsAt] = firstToEnd(scheduler)
    scheduler.submit(makeJob(jobs.length + warmUp + round, random, endsAt))
    const usedBefore = process.cpuUsage()
    const began = performance.now()
    scheduler.finish(jobId)
    scheduler.decide(endsAt)
    const tookMs = performance.now() - began
    const used = process.cpuUsage(usedBefore)
    if (round < 0) continue
    wall.push(tookMs)
    cpu.push((used.user + used.system) / 1000)
  }
  return { wall: figuresOf(wall), cpu: figuresOf(cpu) }
}

/** Restores the length of the queue if the cluster took fewer or more jobs than it has GPUs. */
function trim(scheduler: Scheduler, length: number): void {
  for (const id of [...scheduler.waiting.keys()].slice(length)) scheduler.withdraw(id)
}

function firstToEnd(scheduler: Scheduler): [jobId: string, endsAt: number] {
  let first: [string, number] = ['', Number.POSITIVE_INFINITY]
  for (const [jobId, { endsAt }] of scheduler.running) if (endsAt < first[1]) first = [jobId, endsAt]
  return first
}

function makeNode(number: number): NodeState {
  return {
    id: `n${number}`,
    blocked: null,
    pool: 'on-demand',
    cpuMilli: 128_000,
    memoryMib: 1_048_576,
    usedCpuMilli: 0,
    usedMemoryMib: 0,
    gpus: Array.from({ length: gpusPerNode }, (_, index) => {
      const id = `n${number}/${index}`
      return {
        id,
        index,
        model: number % 2 ? 'A100' : 'H100',
        memoryMib: 81_920,
        allocatedMilli: 0,
        blocked: null,
      }
    }),
  }
}

/** Mostly single GPUs and shares of GPUs, some whole nodes, some several nodes; from seconds to a day. */
function makeJob(number: number, random: () => number, submittedAt = -number): WaitingJob {
  const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T
  const gpuCount = pick(1, 1, 1, 1, 1, 1, 2, 2, 4, 8)
  const request: ResourceRequest = {
    gpuCount,
    gpuMilli: gpuCount === 1 ? pick(1000, 1000, 1000, 500, 250) : 1000,
    gpuMemoryMib: pick(null, null, 40_960),
    cpuMilli: pick(null, 4_000 * gpuCount, 12_000 * gpuCount),
    memoryMib: pick(null, 65_536),
    allowedGpus: null,
    gpuModel: pick(null, null, null, 'H100'),
    instances: gpuCount === 8 ? pick(1, 1, 1, 4) : 1,
    pool: 'on-demand',
  }
  return {
    id: `j${number}`,
    projectId: `p${Math.floor(random() * 20)}`,
    userId: `u${Math.floor(random() * 200)}`,
    request,
    expectedMs: Math.round(1000 * 2 ** (random() * 16)),
    attempt: 0,
    priority: pick(0, 0, 0, 1, 2),
    submittedAt,
    notBefore: null,
  }
}
