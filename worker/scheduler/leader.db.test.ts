import { afterEach, expect, it, vi } from 'vitest'
import { database } from '@/lib/database/client'
import { testDatabase } from '@/lib/database/testing/test-database'
import { leadWhileElected } from './leader'

testDatabase()

const ends: AbortController[] = []
afterEach(() => {
  for (const end of ends) end.abort()
})

/** Runs for office until its end; says whether it leads. */
function candidate() {
  const end = new AbortController()
  ends.push(end)
  let leads = false
  let terms = 0
  const over = leadWhileElected(end.signal, async (term) => {
    leads = true
    terms += 1
    await new Promise((resolve) => term.addEventListener('abort', resolve))
    leads = false
  })
  return { leads: () => leads, terms: () => terms, end: () => end.abort(), over }
}

/** Far more than it takes. */
const patience = { timeout: 20_000 }

/** Sessions that this database has had so far. */
async function countSessions(): Promise<number> {
  const { rows } = await database().pool.query<{ sessions: number }>(
    `SELECT pg_stat_force_next_flush(), (SELECT sessions FROM pg_stat_database WHERE datname = current_database()) AS sessions`,
  )
  return rows[0]?.sessions ?? 0
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('lets one lead, and others follow without a connection of their own until its end', async () => {
  // Two who ask at the same moment need two: those are there from the beginning.
  await Promise.all(Array.from({ length: 4 }, () => database().pool.query('SELECT pg_sleep(0.3)')))
  const first = candidate()
  await vi.waitFor(() => expect(first.leads()).toBe(true), patience)
  const second = candidate()
  await pause(1_500)
  const before = await countSessions()
  await pause(3_000)
  expect((await countSessions()) - before).toBe(0)
  expect(second.leads()).toBe(false)
  first.end()
  await first.over
  await vi.waitFor(() => expect(second.leads()).toBe(true), patience)
  second.end()
  await second.over
}, 60_000)

it('is led again after the connection of who led has broken', async () => {
  const [first, second] = [candidate(), candidate()]
  const leaders = () => [first, second].filter(({ leads }) => leads()).length
  const terms = () => first.terms() + second.terms()
  await vi.waitFor(() => expect(leaders()).toBe(1), patience)
  expect(terms()).toBe(1)
  // Other databases of this PostgreSQL have locks of their own.
  const { rowCount } = await database().pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  expect(rowCount).toBe(1)
  // Between the two terms nobody may lead for a moment only.
  await vi.waitFor(() => expect(terms()).toBe(2), patience)
  await vi.waitFor(() => expect(leaders()).toBe(1), patience)
  for (const one of [first, second]) one.end()
  await Promise.all([first.over, second.over])
}, 60_000)
