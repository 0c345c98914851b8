import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plan } from './plan'
import { node, oneGpu, policy } from './testing/rows'
import { occupied, randomNumbers } from './testing/simulate'
import type { NodeState, Placement, PolicyName, ResourceRequest, RunningJob, WaitingJob } from './types'

const second = 1_000
const tenMinutes = 600 * second
const eightByEight: ResourceRequest = { ...oneGpu, gpuCount: 8, instances: 8 }

/** The history of one job. */
interface Life {
  job: WaitingJob
  /** Number of completed runs. */
  completed: number
  /** Number of restarts. */
  interrupted: number
}

/**
 * Eight jobs that each need all eight nodes and are submitted again after completion, for ten minutes. Nodes
 * fail and recover: the job on them returns to the queue as a whole once its other tasks have been stopped.
 */
class Rivals {
  readonly lives: Life[]
  readonly nodes: NodeState[] = Array.from({ length: 8 }, (_, i) => node(`n${i}`, 8))
  readonly running = new Map<string, RunningJob & { endsAt: number }>()
  /** When each failed node recovers. */
  readonly #away = new Map<string, number>()
  /** When the tasks of each interrupted job have been stopped. */
  readonly #stopping = new Map<string, number>()
  readonly #waiting = new Map<string, WaitingJob>()

  constructor(
    readonly name: PolicyName,
    readonly random: () => number,
    readonly faults: boolean,
  ) {
    this.lives = Array.from({ length: 8 }, (_, i) => {
      const facts = { id: `j${i}`, projectId: `p${i % 3}`, userId: `u${i}`, request: eightByEight }
      const rank = { attempt: 0, priority: Math.floor(random() * 3), submittedAt: 0, notBefore: null }
      const job = { ...facts, ...rank, expectedMs: 20 * second }
      this.#waiting.set(job.id, job)
      return { job, completed: 0, interrupted: 0 }
    })
  }

  tick(now: number): void {
    this.#end(now)
    if (this.faults) this.#breakSomething(now)
    const nodes = this.nodes.map((each) => ({
      ...occupied(each, [...this.running.values()]),
      blocked: this.#away.has(each.id) ? ('lost' as const) : null,
    }))
    const { placements } = plan({
      now,
      policy: { ...policy, name: this.name, ageingMs: 60 * second },
      nodes,
      running: [...this.running.values()],
      waiting: [...this.#waiting.values()],
      projects: [],
      workload: [],
    })
    for (const placement of placements) this.#start(placement, nodes, now)
  }

  #start({ jobId, tasks }: Placement, nodes: readonly NodeState[], now: number): void {
    const job = this.#waiting.get(jobId)
    if (!job) throw new Error(`${jobId} was placed but does not wait`)
    // Eight tasks, each with all GPUs of a different node, none of which has failed.
    expect(tasks.map(({ rank }) => rank)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(new Set(tasks.map(({ nodeId }) => nodeId)).size).toBe(8)
    for (const { nodeId, gpus } of tasks) {
      const on = nodes.find(({ id }) => id === nodeId)
      expect(on).toMatchObject({ blocked: null })
      expect(on?.gpus.every(({ allocatedMilli }) => allocatedMilli === 0)).toBe(true)
      expect(gpus).toHaveLength(8)
    }
    this.#waiting.delete(jobId)
    const endsAt = now + (5 + Math.floor(this.random() * 30)) * second
    this.running.set(jobId, { ...job, tasks, startedAt: now, terminating: false, endsAt })
  }

  #end(now: number): void {
    for (const [id, at] of this.#away) if (at <= now) this.#away.delete(id)
    for (const [id, { endsAt }] of this.running) {
      const stoppedAt = this.#stopping.get(id)
      if ((stoppedAt ?? endsAt) > now) continue
      this.running.delete(id)
      this.#stopping.delete(id)
      this.#requeue(id, now, stoppedAt === undefined)
    }
  }

  #requeue(id: string, now: number, completed: boolean): void {
    const life = this.lives.find(({ job }) => job.id === id)
    if (!life) throw new Error(`no job ${id}`)
    const { job } = life
    if (completed) life.completed += 1
    else life.interrupted += 1
    life.job = completed
      ? { ...job, attempt: 0, submittedAt: now }
      : { ...job, attempt: job.attempt + 1, notBefore: now + second }
    this.#waiting.set(id, life.job)
  }

  #breakSomething(now: number): void {
    if (this.random() > 0.03) return
    const broken = `n${Math.floor(this.random() * 8)}`
    this.#away.set(broken, now + (2 + Math.floor(this.random() * 10)) * second)
    for (const [id, job] of this.running) {
      if (this.#stopping.has(id) || !job.tasks.some(({ nodeId }) => nodeId === broken)) continue
      this.running.set(id, { ...job, terminating: true })
      this.#stopping.set(id, now + Math.floor(this.random() * 12) * second)
    }
  }
}

function compete(name: PolicyName, seed: number, faults: boolean): Rivals {
  const rivals = new Rivals(name, randomNumbers(seed), faults)
  for (let now = 0; now <= tenMinutes; now += second) rivals.tick(now)
  return rivals
}

const names = fc.constantFrom<PolicyName>('priority', 'fcfs', 'sjf', 'fair_share')

describe('eight jobs of eight instances on eight nodes, for ten minutes', () => {
  it('run one after the other on all nodes, and each gets its turn', () => {
    fc.assert(
      fc.property(names, fc.integer(), (name, seed) => {
        const { lives } = compete(name, seed, false)
        for (const { completed } of lives) expect(completed).toBeGreaterThan(0)
        // Each run takes at most half a minute, and the cluster is never idle for a second.
        const all = lives.reduce((sum, { completed }) => sum + completed, 0)
        expect(all).toBeGreaterThanOrEqual(Math.floor(600 / 35))
      }),
      { numRuns: 6 },
    )
  })

  it('do the same while nodes fail and recover', () => {
    fc.assert(
      fc.property(names, fc.integer(), (name, seed) => {
        const { lives, running } = compete(name, seed, true)
        const all = lives.reduce((sum, { completed, interrupted }) => sum + completed + interrupted, 0)
        expect(all).toBeGreaterThan(8)
        expect(running.size).toBeLessThanOrEqual(1)
      }),
      { numRuns: 6 },
    )
  })
})
