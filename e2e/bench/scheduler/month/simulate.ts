import { forecastStarts } from '@/lib/scheduling/forecast'
import { rangeOf, type StartRange, sampleStarts } from '@/lib/scheduling/forecast-range'
import { Heap } from '@/lib/scheduling/heap'
import { plan } from '@/lib/scheduling/plan'
import { type ProgramFacts, RunTimes } from '@/lib/scheduling/run-times/run-times'
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
  /** The range that was forecast. Null: as `forecastAt`, or no ranges are simulated. */
  range: StartRange | null
}

export interface MonthOptions {
  trace: MonthTrace
  policy: PolicyName
  /** The estimates of the users by job, in milliseconds. */
  estimates: ReadonlyMap<string, number>
  /** Whether run times are predicted from the jobs that have ended. */
  predicts: boolean
  /** A start is forecast for one of this many waiting jobs. Infinite: for none. */
  forecastEvery: number
  /** Whether to forecast ranges too, which takes four more forecasts for each. */
  samples: boolean
  /** Milliseconds from the begin at which the simulation ends; without it, when all jobs have ended. */
  until?: number
  /** The job that is submitted when another one has ended, as the next member of a group is; null: none. */
  next?: (ended: MonthJob, now: number) => MonthJob | null
}

/**
 * Simulates the trace from event to event. Each event is followed by a pass of the production scheduler over a new
 * snapshot, as the leader makes it. Jobs that did not start before the end of the simulation have no outcome.
 */
export function simulateMonth(options: MonthOptions): { outcomes: Outcome[]; cluster: MonthCluster } {
  const {
    trace,
    estimates,
    predicts,
    forecastEvery,
    samples,
    until = Number.POSITIVE_INFINITY,
    next,
  } = options
  const policy = makePolicy(options.policy)
  const cluster = new MonthCluster(trace, policy.halfLifeMs)
  const jobs = new Map(trace.jobs.map((job) => [job.id, job]))
  const ends = new Heap<{ id: string; at: number }>((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const waiting = new Map<string, WaitingJob>()
  const runTimes = new RunTimes()
  const estimateOf = ({ id, runsMs }: MonthJob) => estimates.get(id) ?? runsMs
  const predict = <Job extends WaitingJob | RunningJob>(job: Job, elapsedMs: number): Job => {
    if (!predicts) return job
    const known = jobs.get(job.id) as MonthJob
    const estimateMs = estimateOf(known)
    const { expectedMs, possibleMs } = runTimes.predict(
      programOf(known),
      estimateMs,
      limitOf(estimateMs),
      elapsedMs,
    )
    return { ...job, expectedMs, possibleMs }
  }
  const outcomes: Outcome[] = []
  const forecasts = new Map<string, Pick<Outcome, 'forecastAt' | 'range'>>()
  let arrived = 0
  let blocked = 0
  for (;;) {
    const now = Math.min(ends.first?.at ?? Infinity, trace.jobs[arrived]?.submittedAt ?? Infinity)
    if (now === Infinity || now > until) break
    cluster.advance(now)
    const came: string[] = []
    const submit = (job: MonthJob) => {
      waiting.set(job.id, toWaiting(job, estimateOf(job)))
      came.push(job.id)
    }
    for (; ends.first && ends.first.at <= now; ends.pop()) {
      const ended = jobs.get(ends.first.id) as MonthJob
      cluster.end(ended.id)
      runTimes.add({ program: programOf(ended), estimateMs: estimateOf(ended), ranMs: ended.runsMs })
      const follower = next?.(ended, now)
      if (follower) {
        jobs.set(follower.id, follower)
        submit(follower)
      }
    }
    for (let job = trace.jobs[arrived]; job && job.submittedAt <= now; job = trace.jobs[++arrived])
      submit(job)
    const taken = cluster.snapshot(policy, now, [...waiting.values()])
    const snapshot = {
      ...taken,
      waiting: taken.waiting.map((job) => predict(job, 0)),
      running: taken.running.map((job) => predict(job, now - job.startedAt)),
    }
    for (const { jobId, tasks } of plan(snapshot).placements) {
      const job = waiting.get(jobId)
      const { runsMs } = jobs.get(jobId) as MonthJob
      if (!job) throw new Error(`${jobId} was placed but does not wait`)
      waiting.delete(jobId)
      cluster.start({ ...job, tasks, startedAt: now, terminating: false } satisfies RunningJob)
      ends.push({ id: jobId, at: now + runsMs })
      outcomes.push({ job: jobs.get(jobId) as MonthJob, startedAt: now, forecastAt: null, range: null })
    }
    for (const id of came) {
      if (!waiting.has(id) || blocked++ % forecastEvery !== 0) continue
      const startsAt = forecastOf(snapshot, id)
      if (startsAt === null) continue
      const sampled = samples ? [...sampleStarts(snapshot)].map((startOf) => startOf(id)) : []
      const range = rangeOf(startsAt, sampled, snapshot)
      forecasts.set(id, { forecastAt: range.expected, range: samples ? range : null })
    }
  }
  return {
    outcomes: outcomes.map((one) => ({ ...one, ...forecasts.get(one.job.id) })),
    cluster,
  }
}

function forecastOf(snapshot: Snapshot, id: string): number | null {
  for (const { jobId, startsAt } of forecastStarts(new Scheduler(snapshot), snapshot.now))
    if (jobId === id) return startsAt
  return null
}

export function programOf({ projectId, userId, program }: MonthJob): ProgramFacts {
  return { projectId, userId, name: program, contentHash: null }
}

/** The default time limit of a job. */
export function limitOf(estimateMs: number): number {
  return Math.max(2 * estimateMs, estimateMs + 60_000)
}

function makePolicy(name: PolicyName): Policy {
  const always = { running: true, maxConcurrentJobs: null, backfill: true }
  return { name, ...always, ageingMs: hour, halfLifeMs: 7 * 24 * hour }
}

function toWaiting(job: MonthJob, expectedMs: number): WaitingJob {
  const { id, projectId, userId, priority, submittedAt, gpus } = job
  const request = { ...oneGpu, gpuCount: gpus }
  const waits = { attempt: 0, notBefore: null, priority, submittedAt }
  return { id, projectId, userId, request, expectedMs, ...waits }
}
