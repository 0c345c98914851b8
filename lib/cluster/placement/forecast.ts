import { AdaptiveCache } from '../../async/adaptive-cache'
import { database } from '../../database/client'
import { forecast } from '../../scheduling/forecast'
import type { Snapshot } from '../../scheduling/types'
import { queueOrder } from './queue-order'
import { takeSnapshot } from './snapshot'

export interface Expectation {
  position: number
  expectedStart: Date | null
}

export interface QueueForecast {
  at: Date
  /** The jobs in the pending window, by position. */
  jobs: ReadonlyMap<string, Expectation>
}

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

/** Returns the queue order and the expected start of the first jobs. Cached. */
export function forecastQueue(): Promise<QueueForecast> {
  return forecasts().queue.get()
}

/**
 * Returns the positions of the waiting jobs outside the pending window, after those of {@link forecastQueue}.
 * Cached.
 */
export function readPositionsBeyondWindow(): Promise<ReadonlyMap<string, Expectation>> {
  return forecasts().beyondWindow.get()
}

/**
 * Returns the position and expected start of one waiting job; undefined if it arrived moments ago or no longer
 * waits.
 */
export async function expectationOf(jobId: string): Promise<Expectation | undefined> {
  const { jobs } = await forecastQueue()
  return jobs.get(jobId) ?? (await readPositionsBeyondWindow()).get(jobId)
}

interface Forecasts {
  queue: AdaptiveCache<QueueForecast>
  beyondWindow: AdaptiveCache<ReadonlyMap<string, Expectation>>
}

// Next.js loads modules again for each route bundle; this keeps one cache per process.
const shared = globalThis as typeof globalThis & { gpuqForecasts?: Forecasts }

function forecasts(): Forecasts {
  shared.gpuqForecasts ??= {
    queue: new AdaptiveCache(computeForecast),
    beyondWindow: new AdaptiveCache(sortBeyondWindow),
  }
  return shared.gpuqForecasts
}

async function computeForecast(): Promise<QueueForecast> {
  const { snapshot } = await takeSnapshot()
  const expected = forecast(snapshot, forecastDepth(snapshot))
  const jobs = expected.map(({ jobId, position, startsAt }): [string, Expectation] => [
    jobId,
    { position, expectedStart: startsAt === null ? null : new Date(startsAt) },
  ])
  return { at: new Date(snapshot.now), jobs: new Map(jobs) }
}

/** Computed only on request: sorting a hundred thousand jobs takes most of a second. */
async function sortBeyondWindow(): Promise<ReadonlyMap<string, Expectation>> {
  const known = [...(await forecastQueue()).jobs.keys()]
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'positions-beyond-window',
    text: `SELECT w.id FROM jobs w CROSS JOIN policies p
            WHERE w.status = 'pending' AND w.id <> ALL ($1::uuid[]) ORDER BY ${queueOrder('w', 'p')}`,
    values: [known],
  })
  return new Map(rows.map(({ id }, i) => [id, { position: known.length + i + 1, expectedStart: null }]))
}
