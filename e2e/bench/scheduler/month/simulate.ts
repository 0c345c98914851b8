import { forecastStarts } from '@/lib/scheduling/forecast'
import { Heap } from '@/lib/scheduling/heap'
import { plan } from '@/lib/scheduling/plan'
import { Scheduler } from '@/lib/scheduling/scheduler'
import { oneGpu } from '@/lib/scheduling/testing/rows'
import type { Policy, PolicyName, RunningJob, Snapshot, WaitingJob } from '@/lib/scheduling/types'
import { MonthCluster } from './cluster'
import type { MonthJob, MonthTrace } from './trace'

const hour = 3_600_000

/** How one job of the simulated month fared. Times are in milliseconds. */
export interface Outcome {
  job: MonthJob
  startedAt: number
  /** The start that was forecast at its submission. Null: it started at once, or it was not sampled. */
  forecastAt: number | null
}

export interface MonthOptions {
  trace: MonthTrace
  policy: PolicyName
  /** The estimates of the users by job, in milliseconds. */
  estimates: ReadonlyMap<string, number>
  /** A start is forecast for one of this many waiting jobs. Infinite: for none. */
  forecastEvery: number
  /** Milliseconds from the begin at which the simulation ends; without it, when all jobs have ended. */
  until?: number
}

/**
 * Simulates the trace from event to event. Each event is followed by a pass of the production scheduler over a new
 * snapshot, as the leader makes it. Jobs that did not start before the end of the simulation have no outcome.
 */
export function simulateMonth(options: MonthOptions): { outcomes: Outcome[]; cluster: MonthCluster } {
  const { trace, estimates, forecastEvery, until = Number.POSITIVE_INFINITY } = options
  const policy = makePolicy(options.policy)
  const cluster = new MonthCluster(trace, policy.halfLifeMs)
  const jobs = new Map(trace.jobs.map((job) => [job.id, job]))
  const ends = new Heap<{ id: string; at: number }>((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const waiting = new Map<string, WaitingJob>()
  const outcomes: Outcome[] = []
  const forecasts = new Map<string, number>()
  let arrived = 0
  let sampled = 0
  for (;;) {
    const now = Math.min(ends.first?.at ?? Infinity, trace.jobs[arrived]?.submittedAt ?? Infinity)
    if (now === Infinity || now > until) break
    cluster.advance(now)
    for (; ends.first && ends.first.at <= now; ends.pop()) cluster.end(ends.first.id)
    const came: string[] = []
    for (let job = trace.jobs[arrived]; job && job.submittedAt <= now; job = trace.jobs[++arrived]) {
      waiting.set(job.id, toWaiting(job, estimates.get(job.id) ?? job.runsMs))
      came.push(job.id)
    }
    const snapshot = cluster.snapshot(policy, now, [...waiting.values()])
    for (const { jobId, tasks } of plan(snapshot).placements) {
      const job = waiting.get(jobId)
      const { runsMs } = jobs.get(jobId) as MonthJob
      if (!job) throw new Error(`${jobId} was placed but does not wait`)
      waiting.delete(jobId)
      cluster.start({ ...job, tasks, startedAt: now, terminating: false } satisfies RunningJob)
      ends.push({ id: jobId, at: now + runsMs })
      outcomes.push({ job: jobs.get(jobId) as MonthJob, startedAt: now, forecastAt: null })
    }
    for (const id of came) {
      if (!waiting.has(id) || sampled++ % forecastEvery !== 0) continue
      const startsAt = forecastOf(snapshot, id)
      if (startsAt !== null) forecasts.set(id, startsAt)
    }
  }
  return {
    outcomes: outcomes.map((one) => ({ ...one, forecastAt: forecasts.get(one.job.id) ?? null })),
    cluster,
  }
}

function forecastOf(snapshot: Snapshot, id: string): number | null {
  for (const { jobId, startsAt } of forecastStarts(new Scheduler(snapshot), snapshot.now))
    if (jobId === id) return startsAt
  return null
}

function makePolicy(name: PolicyName): Policy {
  const always = { running: true, maxConcurrentJobs: null, backfill: true }
  return { name, ...always, ageingMs: hour, halfLifeMs: 24 * hour }
}

function toWaiting(job: MonthJob, expectedMs: number): WaitingJob {
  const { id, projectId, userId, priority, submittedAt, gpus } = job
  const request = { ...oneGpu, gpuCount: gpus }
  const waits = { attempt: 0, notBefore: null, priority, submittedAt }
  return { id, projectId, userId, request, expectedMs, ...waits }
}
