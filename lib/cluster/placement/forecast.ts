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
  /** Those that a pass looks at, in the order of their positions. */
  jobs: ReadonlyMap<string, Expectation>
}

/** Starts that are looked ahead, of jobs that a pass looks at: all others have a position and no time yet. */
const mostStarts = 1_000
/**
 * The more GPUs there are, the more each of those starts costs, and the sooner they come: with 10,000 GPUs a thousand took
 * the web server five seconds, in which it answered nobody.
 */
const startsTimesGpus = 200_000
const fewestStarts = 100

/** How many starts a forecast looks ahead. */
export function startsToLookAhead({ nodes }: Pick<Snapshot, 'nodes'>): number {
  const gpus = nodes.reduce((sum, node) => sum + node.gpus.length, 0)
  return Math.max(fewestStarts, Math.min(mostStarts, Math.floor(startsTimesGpus / Math.max(1, gpus))))
}

/** The order of the queue, and when its first jobs should start, as the scheduler would go on from here. */
export function forecastQueue(): Promise<QueueForecast> {
  return forecasts().queue.get()
}

/** The waiting jobs that no pass looks at yet, in the order of their turns, after those of {@link forecastQueue}. */
export function readRest(): Promise<ReadonlyMap<string, Expectation>> {
  return forecasts().rest.get()
}

/** One waiting job's place and expected start; undefined where it came a moment ago, or waits no more. */
export async function expectationOf(jobId: string): Promise<Expectation | undefined> {
  const { jobs } = await forecastQueue()
  return jobs.get(jobId) ?? (await readRest()).get(jobId)
}

interface Forecasts {
  queue: AdaptiveCache<QueueForecast>
  rest: AdaptiveCache<ReadonlyMap<string, Expectation>>
}

// Next.js loads modules anew for each route bundle; a forecast is made once a process.
const shared = globalThis as typeof globalThis & { gpuqForecasts?: Forecasts }

function forecasts(): Forecasts {
  shared.gpuqForecasts ??= { queue: new AdaptiveCache(makeForecast), rest: new AdaptiveCache(sortRest) }
  return shared.gpuqForecasts
}

async function makeForecast(): Promise<QueueForecast> {
  const { snapshot } = await takeSnapshot()
  const expected = forecast(snapshot, startsToLookAhead(snapshot))
  const jobs = expected.map(({ jobId, position, startsAt }): [string, Expectation] => [
    jobId,
    { position, expectedStart: startsAt === null ? null : new Date(startsAt) },
  ])
  return { at: new Date(snapshot.now), jobs: new Map(jobs) }
}

/** Only when somebody asks for one of them: sorting a hundred thousand takes most of a second. */
async function sortRest(): Promise<ReadonlyMap<string, Expectation>> {
  const known = [...(await forecastQueue()).jobs.keys()]
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'forecast-rest',
    text: `SELECT w.id FROM jobs w CROSS JOIN policies p
            WHERE w.status = 'pending' AND w.id <> ALL ($1::uuid[]) ORDER BY ${queueOrder('w', 'p')}`,
    values: [known],
  })
  return new Map(rows.map(({ id }, i) => [id, { position: known.length + i + 1, expectedStart: null }]))
}
