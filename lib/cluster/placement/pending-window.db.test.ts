import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { copyRows, makeJob, makeUser } from '../testing/rows'
import { PendingWindow } from './pending-window'

const db = testDatabase()

/** Jobs of an hour ago, of 30 users: 6,000 wait, and a pass looks at 5,000. */
beforeAll(async () => {
  for (let user = 0; user < 30; user++) {
    const like = await makeJob({ userId: await makeUser() })
    await copyRows('jobs', like, {}, { count: 199 })
  }
  await db.pool.query("UPDATE jobs SET created_at = now() - interval '1 hour'")
})

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

async function someOutside(rows: readonly { id: string }[]): Promise<string> {
  const outside = await db.pool.query<{ id: string }>(
    "SELECT id FROM jobs WHERE status = 'pending' AND id <> ALL ($1::uuid[]) LIMIT 1",
    [idsOf(rows)],
  )
  return outside.rows[0]?.id ?? 'none'
}

describe('where more wait than a pass looks at, and choosing among them takes long', () => {
  it('keeps the choice, without those that wait no more and with those that came since', async () => {
    let now = 0
    const window = new PendingWindow(() => (now += 500))
    const first = await window.read()
    expect(first).toHaveLength(5_000)
    const ended = first[0]?.id ?? ''
    await db.pool.query(
      "UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now() WHERE id = $1",
      [ended],
    )
    await db.pool.query('UPDATE jobs SET priority = 100 WHERE id = $1', [await someOutside(first)])
    const fresh = await makeJob()
    const expected = [...idsOf(first).filter((id) => id !== ended), fresh].sort()
    expect(idsOf(await window.read())).toEqual(expected)
    await db.pool.query("UPDATE jobs SET created_at = now() - interval '1 hour' WHERE id = $1", [fresh])
  })

  it('chooses anew after some passes', async () => {
    let now = 0
    const window = new PendingWindow(() => (now += 500))
    const pressing = await someOutside(await window.read())
    await db.pool.query('UPDATE jobs SET priority = 100 WHERE id = $1', [pressing])
    expect(idsOf(await window.read())).not.toContain(pressing)
    now += 10_000
    expect(idsOf(await window.read())).toContain(pressing)
  })

  it('chooses anew when most of them have started', async () => {
    let now = 0
    const window = new PendingWindow(() => (now += 500))
    const first = await window.read()
    const gone = idsOf(first).slice(0, 2_600)
    await db.pool.query(`UPDATE jobs SET status = 'scheduled' WHERE id = ANY ($1::uuid[])`, [gone])
    const { rows } = await db.pool.query<{ waiting: number }>(
      "SELECT count(*)::int AS waiting FROM jobs WHERE status = 'pending'",
    )
    expect(await window.read()).toHaveLength(rows[0]?.waiting ?? -1)
    await db.pool.query(`UPDATE jobs SET status = 'pending' WHERE id = ANY ($1::uuid[])`, [gone])
  })
})

it('chooses anew when many have come since', async () => {
  let now = 0
  const window = new PendingWindow(() => (now += 500))
  await window.read()
  const like = await makeJob()
  await copyRows('jobs', like, { competition_id: 'burst' }, { count: 1100 })
  expect(await window.read()).toHaveLength(5_000)
  await db.pool.query("DELETE FROM jobs WHERE competition_id = 'burst'")
})

it('chooses for each pass where that is done at once', async () => {
  const window = new PendingWindow(() => 0)
  const pressing = await someOutside(await window.read())
  await db.pool.query('UPDATE jobs SET priority = 100 WHERE id = $1', [pressing])
  expect(idsOf(await window.read())).toContain(pressing)
})
