import { type Plan, plan } from '../plan'
import type { NodeState, RunningJob, Snapshot, TaskPlacement, WaitingJob } from '../types'

/** A job of a simulation: `runsMs` is its actual run time, `expectedMs` what the scheduler knows. */
export interface SimulatedJob extends WaitingJob {
  runsMs: number
}

interface Simulation {
  /** When each job started. */
  started: ReadonlyMap<string, number>
  /** Jobs in the order of their starts. */
  order: readonly string[]
  /** GPU milliseconds that each project used. */
  held: ReadonlyMap<string, number>
  /** GPU milliseconds that each user of a project used. */
  heldByUser: ReadonlyMap<string, ReadonlyMap<string, number>>
}

interface SimulationOptions {
  /** Everything except the jobs. */
  cluster: Omit<Snapshot, 'now' | 'waiting' | 'running'>
  jobs: readonly SimulatedJob[]
  until?: number
  /** Called with every snapshot and its plan. */
  check?: (snapshot: Snapshot, made: Plan) => void
}

/** Simulates a cluster from event to event. Plans from a new snapshot each time, as the leader does. */
export function simulate({
  cluster,
  jobs,
  until = Number.POSITIVE_INFINITY,
  check,
}: SimulationOptions): Simulation {
  const byId = new Map(jobs.map((job) => [job.id, job]))
  const waiting = new Map(jobs.map((job) => [job.id, job]))
  const running = new Map<string, RunningJob>()
  const started = new Map<string, number>()
  const held = new Map<string, number>()
  const heldByUser = new Map<string, Map<string, number>>()
  const endOf = ({ id, startedAt }: RunningJob) => startedAt + (byId.get(id)?.runsMs ?? 0)
  for (let now = 0; now <= until; ) {
    const here = [...waiting.values()].filter(({ submittedAt }) => submittedAt <= now)
    const nodes = cluster.nodes.map((node) => occupied(node, [...running.values()]))
    const projects = cluster.projects.map((project) => ({
      ...project,
      usage: held.get(project.id) ?? 0,
      userUsage: [...(heldByUser.get(project.id) ?? [])].map(([userId, usage]) => ({ userId, usage })),
    }))
    const snapshot = { ...cluster, nodes, projects, now, waiting: here, running: [...running.values()] }
    const made = plan(snapshot)
    check?.(snapshot, made)
    for (const { jobId, tasks } of made.placements) {
      const job = waiting.get(jobId)
      if (!job) throw new Error(`${jobId} was placed but does not wait`)
      waiting.delete(jobId)
      running.set(jobId, { ...job, tasks, startedAt: now, terminating: false })
      started.set(jobId, now)
    }
    const events = [
      ...[...running.values()].map(endOf),
      ...[...waiting.values()].map(({ submittedAt }) => submittedAt).filter((time) => time > now),
    ]
    if (events.length === 0) break
    const next = Math.min(...events)
    for (const job of running.values()) {
      const milli = job.tasks.flatMap(({ gpus }) => gpus).reduce((sum, gpu) => sum + gpu.milli, 0)
      const used = ((next - now) * milli) / 1000
      held.set(job.projectId, (held.get(job.projectId) ?? 0) + used)
      const users = heldByUser.get(job.projectId) ?? new Map<string, number>()
      heldByUser.set(job.projectId, users.set(job.userId, (users.get(job.userId) ?? 0) + used))
    }
    now = next
    for (const job of [...running.values()]) if (endOf(job) <= now) running.delete(job.id)
  }
  return { started, order: [...started.keys()], held, heldByUser }
}

/** Returns the node with the resources of its running tasks counted as used. */
export function occupied(
  node: NodeState,
  running: readonly { tasks: readonly TaskPlacement[] }[],
): NodeState {
  const tasks = running.flatMap(({ tasks }) => tasks).filter(({ nodeId }) => nodeId === node.id)
  const given = (id: string) =>
    tasks.flatMap(({ gpus }) => gpus).reduce((sum, gpu) => sum + (gpu.id === id ? gpu.milli : 0), 0)
  return {
    ...node,
    usedCpuMilli: node.usedCpuMilli + tasks.reduce((sum, { cpuMilli }) => sum + cpuMilli, 0),
    usedMemoryMib: node.usedMemoryMib + tasks.reduce((sum, { memoryMib }) => sum + memoryMib, 0),
    gpus: node.gpus.map((gpu) => ({ ...gpu, allocatedMilli: gpu.allocatedMilli + given(gpu.id) })),
  }
}

/** Pseudo-random numbers that depend only on the seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
