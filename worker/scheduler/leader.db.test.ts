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
  /** How often it has begun to. */
  terms(): number
  end(): void
  over: Promise<void>
}

/** Runs for office until its end. */
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

/** Far more than it takes. */
const patience = { timeout: 60_000 }

const leadersOf = (candidates: Candidate[]) => candidates.filter(({ leads }) => leads())
const termsOf = (candidates: Candidate[]) => candidates.reduce((sum, { terms }) => sum + terms(), 0)

/** Sessions that this database has had so far. */
async function countSessions(): Promise<number> {
  const { rows } = await database().pool.query<{ sessions: number }>(
    `SELECT pg_stat_force_next_flush(), (SELECT sessions FROM pg_stat_database WHERE datname = current_database()) AS sessions`,
  )
  return rows[0]?.sessions ?? 0
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Far less than PostgreSQL waits for a word of the leader, or a follower for an answer. */
const mostLateMs = 500

/** Whether this process or PostgreSQL is held up within the next three seconds: some tries long. */
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
 * The sessions that began while one of them led, all along, and nothing was held up: whoever is, loses the lead or looks
 * for it over a connection of its own, as it should.
 */
async function countSessionsOfOneTerm(candidates: Candidate[]): Promise<number> {
  for (;;) {
    // Some who ask at the same moment need as many: those are there from the beginning.
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

it('lets one lead, and others follow without a connection of their own until its end', async () => {
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

it('is led again after the connection of who led has broken', async () => {
  const candidates = [candidate(), candidate()]
  await vi.waitFor(() => expect(leadersOf(candidates)).toHaveLength(1), patience)
  const terms = termsOf(candidates)
  // Other databases of this PostgreSQL have locks of their own.
  const breaks = () =>
    database().pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
  await vi.waitFor(async () => expect((await breaks()).rowCount).toBe(1), patience)
  // Between the two terms nobody may lead for a moment only.
  await vi.waitFor(() => expect(termsOf(candidates)).toBeGreaterThan(terms), patience)
  await vi.waitFor(() => expect(leadersOf(candidates)).toHaveLength(1), patience)
  for (const one of candidates) one.end()
  await Promise.all(candidates.map(({ over }) => over))
})
