import { plan } from '../plan'
import type { NodeState, Plan, RunningJob, Snapshot, TaskPlacement, WaitingJob } from '../types'

/** A job as a simulation knows it: `runsMs` is the truth, `expectedMs` what the scheduler is told. */
export interface SimulatedJob extends WaitingJob {
  runsMs: number
}

interface Simulation {
  /** When each job started. */
  started: ReadonlyMap<string, number>
  /** Jobs in the order of their starts. */
  order: readonly string[]
  /** GPU milliseconds that each project held. */
  held: ReadonlyMap<string, number>
  /** The same for each project's users. */
  heldByUser: ReadonlyMap<string, ReadonlyMap<string, number>>
}

interface SimulationOptions {
  /** All but the jobs. */
  cluster: Omit<Snapshot, 'now' | 'waiting' | 'running'>
  jobs: readonly SimulatedJob[]
  until?: number
  /** Called with every snapshot and what was made of it. */
  check?: (snapshot: Snapshot, made: Plan) => void
}

/** Runs a cluster from event to event, planning each time from a fresh snapshot, as the leader does. */
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
      if (!job) throw new Error(`${jobId} was placed and does not wait`)
      waiting.delete(jobId)
      running.set(jobId, { ...job, tasks, startedAt: now, leaving: false })
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

/** The node with what its running tasks hold. */
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

/** Numbers that look random and are the same for a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
