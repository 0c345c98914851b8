import pg from 'pg'
import { sleep, unlessAborted, withTimeout } from '@/lib/async/sleep'
import { database } from '@/lib/database/client'
import { hasLeader, locks } from '@/lib/database/locks'
import { logger } from '@/lib/logger'

/** Interval at which a follower tries and a leader checks its lock; well below the promised five seconds. */
const checkIntervalMs = 1_000
/**
 * PostgreSQL closes the session of a leader that is silent for this long, which releases the lock. Otherwise a
 * disconnected or suspended leader would keep it until the TCP timeout of two hours.
 */
const silenceTimeoutMs = 3_000
/** The work of a lost term that has not ended by then goes on beside the next term, as it would beside another leader. */
const endTimeoutMs = 5_000

/**
 * Leads while this process holds the advisory lock on its own connection. When the process or its connection dies,
 * PostgreSQL gives the lock to the next process that tries. Returns when `signal` is aborted.
 */
export async function leadWhileElected(
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await hasOtherLeader(signal)) && !signal.aborted) await tryToLead(signal, lead)
    } catch (error) {
      logger.warn({ err: error }, 'lost the leadership or could not acquire it, retrying')
    }
    await sleep(checkIntervalMs, signal)
  }
}

/**
 * Checks over an existing connection. A new connection every second for each of a hundred followers would start a
 * hundred server processes per second. Without a response, tries a new connection.
 */
async function hasOtherLeader(signal: AbortSignal): Promise<boolean> {
  const asked = database().pool.query<{ led: boolean }>({
    name: 'has-leader',
    text: `SELECT ${hasLeader} AS led`,
  })
  const answer = await unlessAborted(
    withTimeout(asked, silenceTimeoutMs, () => null),
    signal,
  )
  return answer?.rows[0]?.led ?? false
}

async function tryToLead(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: database().url,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: silenceTimeoutMs,
    options: `-c idle_session_timeout=${silenceTimeoutMs}`,
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
    const work = lead(term.signal)
    await Promise.race([work, watchLock(client, term)])
    await (signal.aborted ? work : untilEnded(work))
    logger.info('no longer leading the scheduler')
  } finally {
    signal.removeEventListener('abort', end)
    term.abort()
    // On a silently broken connection, closing it would wait for a response.
    await Promise.race([client.end().catch(() => {}), sleep(silenceTimeoutMs, signal)])
  }
}

/**
 * Waits for the work of a lost term, but not for long: a listing of a bucket takes minutes, and nothing would be scheduled
 * until then if no other process can lead.
 */
async function untilEnded(work: Promise<void>): Promise<void> {
  await withTimeout(work, endTimeoutMs, () =>
    logger.warn('the work of the lost term has not ended yet, and does not delay the next term'),
  )
}

/** Queries the lock's connection periodically. This keeps the session alive, and detects a broken network. */
async function watchLock(client: pg.Client, term: AbortController): Promise<void> {
  while (!term.signal.aborted) {
    await sleep(checkIntervalMs, term.signal)
    await client.query('SELECT 1').catch(() => term.abort())
  }
}
