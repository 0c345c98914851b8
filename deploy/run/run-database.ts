import { database } from '@/lib/database/client'
import { embeddedUrl, startEmbedded } from '@/lib/database/embedded'
import { migrate } from '@/lib/database/migrate'
import { env } from '@/lib/env'
import type { Report } from './report.mjs'
import type { Undo } from './undo'
import { startWatchdog } from './watchdog'

const lookEveryMs = 2_000

interface Starting {
  report: Report
  signal: AbortSignal
  dataDir: string
}

/** Starts the embedded database, unless another one is set, and brings its schema up to date. */
export async function startDatabase({ report, signal, dataDir }: Starting, undo: Undo[]): Promise<void> {
  if (env().DATABASE_URL === undefined) {
    const postgres = await report.step('PostgreSQL', () => startEmbedded(dataDir))
    const stopLooking = startWatchdog({
      name: 'PostgreSQL',
      answers: databaseAnswers,
      restart: () => startEmbedded(dataDir),
      say: report.warn,
      everyMs: lookEveryMs,
    })
    undo.push({
      title: 'PostgreSQL stopped',
      async work() {
        await stopLooking()
        await database().close()
        await postgres.stop()
      },
    })
  }
  signal.throwIfAborted()
  await report.step(
    'Database schema',
    (onProgress) => migrate(env().DATABASE_URL ?? embeddedUrl(dataDir), undefined, { onProgress, signal }),
    ({ applied }) => (applied.length > 0 ? `${applied.length} migrations applied` : 'up to date'),
  )
}

async function databaseAnswers(): Promise<boolean> {
  try {
    await database().pool.query('SELECT 1')
    return true
  } catch (error) {
    // Any other error means that the server answered.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code !== 'ECONNREFUSED' && code !== 'ENOENT'
  }
}
