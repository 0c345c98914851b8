import { AdaptiveCache } from '../../async/adaptive-cache'
import { externalEngine } from '../../engine/external-engine'
import type { Expectation, Forecaster, NewJob, QueueForecast } from '../../engine/forecaster'
import { builtinForecaster } from './builtin-forecaster'

const forecaster = (): Forecaster => externalEngine()?.forecaster ?? builtinForecaster

/** Returns the queue order and the expected start of the first jobs. Cached. */
export function forecastQueue(): Promise<QueueForecast> {
  return forecasts().queue.get()
}

/**
 * Returns the positions of the other waiting jobs, after those of {@link forecastQueue}. Cached, and computed only on
 * request.
 */
export function readOtherPositions(): Promise<ReadonlyMap<string, Expectation>> {
  return forecasts().others.get()
}

/**
 * Returns the position and expected start of one waiting job; undefined if it arrived moments ago or no longer
 * waits.
 */
export async function expectationOf(jobId: string): Promise<Expectation | undefined> {
  const { jobs } = await forecastQueue()
  return jobs.get(jobId) ?? (await readOtherPositions()).get(jobId)
}

/** Returns the position and expected start that a job would have if it were submitted now. */
export function forecastNew(job: NewJob): Promise<Expectation> {
  return forecaster().forecastNew(job)
}

interface Forecasts {
  queue: AdaptiveCache<QueueForecast>
  others: AdaptiveCache<ReadonlyMap<string, Expectation>>
}

// Next.js loads modules again for each route bundle; this keeps one cache per process.
const shared = globalThis as typeof globalThis & { gpuqForecasts?: Forecasts }

function forecasts(): Forecasts {
  shared.gpuqForecasts ??= {
    queue: new AdaptiveCache(() => forecaster().forecastFirst()),
    others: new AdaptiveCache(placeOthers),
  }
  return shared.gpuqForecasts
}

async function placeOthers(): Promise<ReadonlyMap<string, Expectation>> {
  const known = [...(await forecastQueue()).jobs.keys()]
  const ids = await forecaster().listOthers(known)
  return new Map(
    ids.map((id, i) => [
      id,
      { position: known.length + i + 1, expectedStart: null, range: null, basis: null },
    ]),
  )
}
