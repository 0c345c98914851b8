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
function candidate(): { leads: () => boolean; end: () => void; over: Promise<void> } {
  const end = new AbortController()
  ends.push(end)
  let leads = false
  const over = leadWhileElected(end.signal, async (term) => {
    leads = true
    await new Promise((resolve) => term.addEventListener('abort', resolve))
    leads = false
  })
  return { leads: () => leads, end: () => end.abort(), over }
}

/** Sessions that this database has had so far. */
async function countSessions(): Promise<number> {
  const { rows } = await database().pool.query<{ sessions: number }>(
    `SELECT pg_stat_force_next_flush(), (SELECT sessions FROM pg_stat_database WHERE datname = current_database()) AS sessions`,
  )
  return rows[0]?.sessions ?? 0
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('lets one lead, and others follow without a connection of their own until its end', async () => {
  const first = candidate()
  await vi.waitFor(() => expect(first.leads()).toBe(true), 10_000)
  const second = candidate()
  await pause(1_500)
  const before = await countSessions()
  await pause(3_000)
  expect((await countSessions()) - before).toBe(0)
  expect(second.leads()).toBe(false)
  first.end()
  await first.over
  await vi.waitFor(() => expect(second.leads()).toBe(true), 10_000)
  second.end()
  await second.over
})

it('is led again after the connection of who led has broken', async () => {
  const [first, second] = [candidate(), candidate()]
  await vi.waitFor(() => expect(first.leads() || second.leads()).toBe(true), 10_000)
  const { rowCount } = await database().pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1`,
  )
  expect(rowCount).toBe(1)
  await vi.waitFor(() => expect(first.leads() || second.leads()).toBe(false), 10_000)
  await vi.waitFor(() => expect(Number(first.leads()) + Number(second.leads())).toBe(1), 10_000)
  for (const one of [first, second]) one.end()
  await Promise.all([first.over, second.over])
}, 30_000)
