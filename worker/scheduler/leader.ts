import pg from 'pg'
import { sleep, unlessAborted, withTimeout } from '@/lib/async/sleep'
import { database } from '@/lib/database/client'
import { hasLeader, locks } from '@/lib/database/locks'
import { logger } from '@/lib/logger'

/** How often a follower tries, and a leader makes sure of its lock: well inside the five seconds promised. */
const tryEveryMs = 1_000
/**
 * PostgreSQL takes the lock from a leader of which it has heard nothing for so long. One that is cut off in silence, or
 * stopped, would else keep it until TCP gives up: two hours.
 */
const silenceMs = 3_000

/**
 * Leads while this process holds the advisory lock, on a connection of its own: when the process or its connection
 * dies, PostgreSQL gives the lock to the next one that tries. Returns when `signal` is aborted.
 */
export async function leadWhileElected(
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await isLedByAnother(signal)) && !signal.aborted) await tryToLead(signal, lead)
    } catch (error) {
      logger.warn({ err: error }, 'leadership lost or not to be had, trying again')
    }
    await sleep(tryEveryMs, signal)
  }
}

/**
 * Asked over a connection that is there already: a new one each second, for each of a hundred followers, is a hundred
 * server processes that PostgreSQL starts each second. Where no answer comes, a new one is tried.
 */
async function isLedByAnother(signal: AbortSignal): Promise<boolean> {
  const asked = database().pool.query<{ led: boolean }>({
    name: 'is-led',
    text: `SELECT ${hasLeader} AS led`,
  })
  const answer = await unlessAborted(
    withTimeout(asked, silenceMs, () => null),
    signal,
  )
  return answer?.rows[0]?.led ?? false
}

async function tryToLead(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: database().url,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: silenceMs,
    options: `-c idle_session_timeout=${silenceMs}`,
  })
  const term = new AbortController()
  const end = () => term.abort()
  client.on('error', end)
  client.on('end', end)
  signal.addEventListener('abort', end)
  try {
    await client.connect()
    const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [
      locks.leader,
    ])
    if (!rows[0]?.held) return
    logger.info('leading the scheduler')
    await Promise.all([lead(term.signal), watchLock(client, term)])
    logger.info('no longer leading the scheduler')
  } finally {
    signal.removeEventListener('abort', end)
    term.abort()
    // Over a connection that was cut in silence, the farewell itself would wait for an answer.
    await Promise.race([client.end().catch(() => {}), sleep(silenceMs, signal)])
  }
}

/** Asks the lock's connection from time to time: it is what PostgreSQL hears, and a cut network ends the term too. */
async function watchLock(client: pg.Client, term: AbortController): Promise<void> {
  while (!term.signal.aborted) {
    await sleep(tryEveryMs, term.signal)
    await client.query('SELECT 1').catch(() => term.abort())
  }
}
