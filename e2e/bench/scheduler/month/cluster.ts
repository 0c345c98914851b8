import type { NodeState, Policy, RunningJob, Snapshot, WaitingJob } from '@/lib/scheduling/types'
import type { MonthTrace } from './trace'

/** The simulated cluster: what runs, and the decayed use of each project and user. */
export class MonthCluster {
  readonly running = new Map<string, RunningJob>()
  /** GPU milliseconds that each project used. */
  readonly usedMs = new Map<string, number>()
  readonly #nodes = new Map<string, NodeState>()
  readonly #usage = new Map<string, Map<string, number>>()
  #now = 0

  constructor(
    private readonly trace: MonthTrace,
    private readonly halfLifeMs: number,
  ) {
    for (const node of trace.nodes)
      this.#nodes.set(node.id, { ...node, gpus: node.gpus.map((gpu) => ({ ...gpu })) })
    for (const { id } of trace.projects) this.#usage.set(id, new Map())
  }

  /** Charges the use since the last call. */
  advance(now: number): void {
    const elapsed = now - this.#now
    this.#now = now
    const decay = 0.5 ** (elapsed / this.halfLifeMs)
    for (const users of this.#usage.values()) for (const [id, usage] of users) users.set(id, usage * decay)
    for (const { projectId, userId, request } of this.running.values()) {
      const used = elapsed * request.gpuCount
      this.usedMs.set(projectId, (this.usedMs.get(projectId) ?? 0) + used)
      const users = this.#usage.get(projectId)
      users?.set(userId, (users.get(userId) ?? 0) + used)
    }
  }

  start(job: RunningJob): void {
    this.running.set(job.id, job)
    this.#occupy(job, 1)
  }

  end(id: string): void {
    const job = this.running.get(id)
    if (!job) return
    this.running.delete(id)
    this.#occupy(job, -1)
  }

  snapshot(policy: Policy, now: number, waiting: readonly WaitingJob[]): Snapshot {
    const projects = this.trace.projects.map(({ id, weight }) => {
      const userUsage = [...(this.#usage.get(id) ?? [])].map(([userId, usage]) => ({ userId, usage }))
      const usage = userUsage.reduce((sum, each) => sum + each.usage, 0)
      return { id, weight, quotaMilli: null, userLimits: [], usage, userUsage }
    })
    const running = [...this.running.values()]
    return { now, policy, nodes: [...this.#nodes.values()], running, waiting, projects, workload: [] }
  }

  #occupy({ tasks }: RunningJob, sign: 1 | -1): void {
    for (const { nodeId, gpus, cpuMilli, memoryMib } of tasks) {
      const node = this.#nodes.get(nodeId)
      if (!node) throw new Error(`there is no node ${nodeId}`)
      const given = new Map(gpus.map(({ id, milli }) => [id, milli]))
      this.#nodes.set(nodeId, {
        ...node,
        usedCpuMilli: node.usedCpuMilli + sign * cpuMilli,
        usedMemoryMib: node.usedMemoryMib + sign * memoryMib,
        gpus: node.gpus.map((gpu) => ({
          ...gpu,
          allocatedMilli: gpu.allocatedMilli + sign * (given.get(gpu.id) ?? 0),
        })),
      })
    }
  }
}
