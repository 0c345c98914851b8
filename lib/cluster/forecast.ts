import { database } from '../database/client'
import { forecast } from '../scheduling/forecast'
import { takeSnapshot } from './snapshot'
import { turnOrder } from './turn-order'

export interface QueueForecast {
  at: Date
  jobs: ReadonlyMap<string, { position: number; expectedStart: Date | null }>
}

/** Starts that are looked ahead, of jobs that a pass looks at: all others have a position and no time yet. */
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
  const jobs = new Map(
    expected.map(({ jobId, position, startsAt }) => [
      jobId,
      { position, expectedStart: startsAt === null ? null : new Date(startsAt) },
    ]),
  )
  for (const id of await readRest(snapshot.waiting.map((job) => job.id)))
    jobs.set(id, { position: jobs.size + 1, expectedStart: null })
  return { at: new Date(snapshot.now), jobs }
}

/** The waiting jobs that no pass looks at yet, in the order of their turns. */
async function readRest(known: readonly string[]): Promise<string[]> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'forecast-rest',
    text: `SELECT w.id FROM jobs w CROSS JOIN policies p
            WHERE w.status = 'pending' AND w.id <> ALL ($1::uuid[]) ORDER BY ${turnOrder('w', 'p')}`,
    values: [known],
  })
  return rows.map(({ id }) => id)
}
