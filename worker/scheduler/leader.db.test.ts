import { afterEach, expect, it, vi } from 'vitest'
import { database } from '@/lib/database/client'
import { testDatabase } from '@/lib/database/testing/test-database'
import { leadWhileElected } from './leader'

testDatabase()

const ends: AbortController[] = []
afterEach(() => {
  for (const end of ends) end.abort()
})

interface Candidate {
  leads(): boolean
  /** Number of terms it has started. */
  terms(): number
  end(): void
  over: Promise<void>
}

/** Takes part in elections until it is stopped. */
function candidate(): Candidate {
  const end = new AbortController()
  ends.push(end)
  let leads = false
  let terms = 0
  const over = leadWhileElected(end.signal, async (term) => {
    leads = true
    terms += 1
    if (!term.aborted) await new Promise((resolve) => term.addEventListener('abort', resolve))
    leads = false
  })
  return { leads: () => leads, terms: () => terms, end: () => end.abort(), over }
}

/** Far longer than necessary. */
const patience = { timeout: 60_000 }

const leadersOf = (candidates: Candidate[]) => candidates.filter(({ leads }) => leads())
const termsOf = (candidates: Candidate[]) => candidates.reduce((sum, { terms }) => sum + terms(), 0)

/** Number of sessions that this database has had so far. */
async function countSessions(): Promise<number> {
  const { rows } = await database().pool.query<{ sessions: number }>(
    `SELECT pg_stat_force_next_flush(), (SELECT sessions FROM pg_stat_database WHERE datname = current_database()) AS sessions`,
  )
  return rows[0]?.sessions ?? 0
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Far less than PostgreSQL's timeout for the leader, or a follower's for a response. */
const mostLateMs = 500

/** Whether this process or PostgreSQL is delayed within the next three seconds: some checks take long. */
async function isHeldUp(): Promise<boolean> {
  for (let round = 0; round < 30; round++) {
    const began = performance.now()
    await pause(100)
    await database().pool.query('SELECT 1')
    if (performance.now() - began > 100 + mostLateMs) return true
  }
  return false
}

/**
 * Counts the new sessions during one uninterrupted term without delays. A delayed process rightly loses the lead, or
 * checks it over a new connection.
 */
async function countSessionsOfOneTerm(candidates: Candidate[]): Promise<number> {
  for (;;) {
    // Concurrent queries need several connections, so these are opened first.
    await Promise.all(Array.from({ length: 4 }, () => database().pool.query('SELECT pg_sleep(0.3)')))
    await vi.waitFor(() => expect(leadersOf(candidates)).toHaveLength(1), patience)
    await pause(1_500)
    const terms = termsOf(candidates)
    const before = await countSessions()
    const isDisturbed = await isHeldUp()
    const began = (await countSessions()) - before
    if (!isDisturbed && termsOf(candidates) === terms) return began
  }
}

it('elects one leader, and followers need no connection of their own until its end', async () => {
  const candidates = [candidate(), candidate()]
  expect(await countSessionsOfOneTerm(candidates)).toBe(0)
  const leaders = leadersOf(candidates)
  expect(leaders).toHaveLength(1)
  for (const leader of leaders) {
    leader.end()
    await leader.over
  }
  const followers = candidates.filter((one) => !leaders.includes(one))
  await vi.waitFor(() => expect(leadersOf(followers)).toHaveLength(1), patience)
  for (const follower of followers) {
    follower.end()
    await follower.over
  }
})

/** Ends the connection that holds the leader's lock. Other databases of this PostgreSQL have their own locks. */
async function breakConnection(): Promise<void> {
  const end = () =>
    database().pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
  await vi.waitFor(async () => expect((await end()).rowCount).toBe(1), patience)
}

it('elects a leader again after the leader’s connection broke', async () => {
  const candidates = [candidate(), candidate()]
  await vi.waitFor(() => expect(leadersOf(candidates)).toHaveLength(1), patience)
  const terms = termsOf(candidates)
  await breakConnection()
  // Between the two terms there may be no leader for a moment.
  await vi.waitFor(() => expect(termsOf(candidates)).toBeGreaterThan(terms), patience)
  await vi.waitFor(() => expect(leadersOf(candidates)).toHaveLength(1), patience)
  for (const one of candidates) one.end()
  await Promise.all(candidates.map(({ over }) => over))
})

it('leads again although the work of the lost term does not end', async () => {
  const end = new AbortController()
  ends.push(end)
  let terms = 0
  let finish = () => {}
  const stuck = new Promise<void>((resolve) => {
    finish = resolve
  })
  const over = leadWhileElected(end.signal, () => {
    terms += 1
    return stuck
  })
  await vi.waitFor(() => expect(terms).toBe(1), patience)
  await breakConnection()
  await vi.waitFor(() => expect(terms).toBeGreaterThan(1), patience)
  finish()
  end.abort()
  await over
})
