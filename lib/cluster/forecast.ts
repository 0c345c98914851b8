import { forecast } from '../scheduling/forecast'
import { takeSnapshot } from './snapshot'

export interface QueueForecast {
  at: Date
  jobs: ReadonlyMap<string, { position: number; expectedStart: Date | null }>
}

/** Starts that are looked ahead: what starts after them has a position and no time yet. */
const mostStarts = 1_000
/** For so long one answer serves all who ask. */
const freshMs = 1_000

let last: { at: number; forecast: Promise<QueueForecast> } | undefined

/** The waiting jobs' positions and expected starts, as the scheduler would go on from here. */
export function forecastQueue(): Promise<QueueForecast> {
  if (!last || performance.now() - last.at > freshMs) {
    last = { at: performance.now(), forecast: makeForecast() }
    last.forecast.catch(() => {
      last = undefined
    })
  }
  return last.forecast
}

async function makeForecast(): Promise<QueueForecast> {
  const { snapshot } = await takeSnapshot()
  const expected = forecast(snapshot, mostStarts)
  return {
    at: new Date(snapshot.now),
    jobs: new Map(
      expected.map(({ jobId, position, startsAt }) => [
        jobId,
        { position, expectedStart: startsAt === null ? null : new Date(startsAt) },
      ]),
    ),
  }
}
