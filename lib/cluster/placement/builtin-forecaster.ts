import { setImmediate } from 'node:timers/promises'
import type { StartBasis } from '../../contract/predicted-time'
import { database } from '../../database/client'
import type { Expectation, Forecaster } from '../../engine/forecaster'
import { type Expectation as ForecastedStart, forecast, forecastOne } from '../../scheduling/forecast'
import { rangeOf, type SampledStarts, sampleStarts } from '../../scheduling/forecast-range'
import { expectedEnd } from '../../scheduling/run-times/overdue'
import { type ProgramFacts, predictFromEstimate } from '../../scheduling/run-times/run-times'
import type { RunningJob, Snapshot, WaitingJob } from '../../scheduling/types'
import { readPolicy } from '../admin/policy'
import { readTokenGpuLimits, readUserGpuLimits } from './gpu-limits'
import { hasPlace, queueOrder } from './queue-order'
import { readRunTimes } from './run-times'
import { readShares } from './shares'
import { takeSnapshot } from './snapshot'
import { readUsedUpBudgets } from './used-up-budgets'

/** Maximum number of simulated starts. All other jobs have a position but no time yet. */
const maxStarts = 1_000
/**
 * Each simulated start costs more on a larger cluster, and starts happen sooner there. With 10,000 GPUs, a thousand
 * starts blocked the web server for five seconds.
 */
const maxStartsTimesGpus = 200_000
const minStarts = 100

/** Returns the number of starts that a forecast simulates. */
export function forecastDepth({ nodes }: Pick<Snapshot, 'nodes'>): number {
  const gpus = nodes.reduce((sum, node) => sum + node.gpus.length, 0)
  return Math.max(minStarts, Math.min(maxStarts, Math.floor(maxStartsTimesGpus / Math.max(1, gpus))))
}

/** Simulates gpuq's own scheduler. */
export const builtinForecaster: Forecaster = {
  async forecastFirst() {
    const { snapshot } = await takeSnapshot()
    const depth = forecastDepth(snapshot)
    const starts = await onlyPlaced(forecast(snapshot, depth))
    const samples: SampledStarts[] = []
    for (const sample of sampleStarts(snapshot, depth)) {
      samples.push(sample)
      // Requests are answered between two forecasts.
      await setImmediate()
    }
    const running = new Map(snapshot.running.map((job) => [job.id, job]))
    const jobs = starts.map(({ jobId, startsAt, after }, index): [string, Expectation] => {
      const position = index + 1
      if (startsAt === null) return [jobId, { position, expectedStart: null, range: null, basis: null }]
      const sampled = samples.map((startOf) => startOf(jobId))
      const { earliest, expected, latest } = rangeOf(startsAt, sampled, snapshot)
      const range = { earliest: new Date(earliest), latest: new Date(latest) }
      const basis = basisOf(running.get(after ?? ''), snapshot.now)
      return [jobId, { position, expectedStart: new Date(expected), range, basis }]
    })
    return { jobs: new Map(jobs) }
  },

  async forecastNew({ id, tokenId, request, priority, createdAt, limitMs, estimateMs, ...facts }) {
    const [{ snapshot }, usedUp] = await Promise.all([takeSnapshot(), readUsedUpBudgets()])
    const { userId, projectId } = facts
    // Those of tokens and groups refuse a job.
    const budget = usedUp.of({ userId, projectId, groupId: null, tokenId: null })
    const { expectedMs, possibleMs } = await predictNew(facts, estimateMs, limitMs)
    const share = snapshot.projects.some((project) => project.id === projectId)
      ? []
      : await readShares(
          [projectId],
          snapshot.policy.name === 'fair_share' ? snapshot.policy.halfLifeMs : null,
        )
    const job: WaitingJob = {
      id,
      userId,
      projectId,
      tokenId,
      request,
      priority,
      expectedMs,
      possibleMs,
      submittedAt: createdAt.getTime(),
      attempt: 0,
      notBefore: budget?.until ?? null,
      usedUp: budget?.detail ?? null,
    }
    const waiting = [...snapshot.waiting, job]
    // With the job, a user or a token could exceed a limit that the snapshot leaves out.
    const [userLimits, tokenLimits] = await Promise.all([
      readUserGpuLimits(waiting, snapshot.running),
      readTokenGpuLimits(waiting, snapshot.running),
    ])
    const projects = [...snapshot.projects, ...share].map((project) => ({
      ...project,
      userLimits: userLimits.get(project.id) ?? [],
    }))
    const withJob = { ...snapshot, projects, tokenLimits, waiting }
    const found = forecastOne(withJob, id, forecastDepth(snapshot))
    const position = found?.position ?? withJob.waiting.length
    if (!found || found.startsAt === null) return { position, expectedStart: null, range: null, basis: null }
    const after = snapshot.running.find((running) => running.id === found.after)
    return {
      position,
      expectedStart: new Date(found.startsAt),
      range: null,
      basis: basisOf(after, snapshot.now),
    }
  },

  /** Sorting a hundred thousand jobs takes most of a second. */
  async listOthers(known) {
    const { rows } = await database().pool.query<{ id: string }>({
      name: 'positions-beyond-window',
      text: `SELECT w.id FROM jobs w CROSS JOIN policies p
              WHERE w.status = 'pending' AND ${hasPlace('w')} AND w.id <> ALL ($1::uuid[]) ORDER BY ${queueOrder('w', 'p')}`,
      values: [known],
    })
    return rows.map(({ id }) => id)
  },
}

/** Leaves out the jobs without a place. One with a predicted start has a place, whatever the last pass said of it. */
async function onlyPlaced(starts: readonly ForecastedStart[]): Promise<ForecastedStart[]> {
  const others = starts.filter(({ startsAt }) => startsAt === null).map(({ jobId }) => jobId)
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'jobs-without-place',
    text: `SELECT w.id FROM jobs w WHERE w.id = ANY ($1::uuid[]) AND NOT ${hasPlace('w')}`,
    values: [others],
  })
  const withoutPlace = new Set(rows.map(({ id }) => id))
  return starts.filter(({ jobId }) => !withoutPlace.has(jobId))
}

/** Predicts the run time of a job that is not stored, if the policy permits it. */
async function predictNew(facts: ProgramFacts, estimateMs: number, limitMs: number) {
  const [policy, runTimes] = await Promise.all([readPolicy(), readRunTimes()])
  return policy.predict_run_times
    ? runTimes.predict(facts, estimateMs, limitMs, 0)
    : predictFromEstimate(estimateMs)
}

/** Returns what a start rests on that waits for the end of a running job. */
function basisOf(job: RunningJob | undefined, now: number): StartBasis | null {
  if (!job?.prediction) return null
  const { startedAt, prediction } = job
  const { basis, jobs, firstMs } = prediction
  const delayMs = expectedEnd(job, now) - (startedAt + firstMs)
  return { basis, jobs, delaySeconds: Math.max(0, delayMs / 1000) }
}
