import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, makeToken } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { copyRows, makeJob, makeUser } from '../testing/rows'
import { PendingWindow } from './pending-window'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

/** 6,000 waiting jobs of 30 users, an hour old; a pass examines 5,000. */
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

describe('a pending window that is smaller than the queue and slow to select', () => {
  it('is kept, without jobs that no longer wait and with newly submitted jobs', async () => {
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

  it('is selected again after some passes', async () => {
    let now = 0
    const window = new PendingWindow(() => (now += 500))
    const pressing = await someOutside(await window.read())
    await db.pool.query('UPDATE jobs SET priority = 100 WHERE id = $1', [pressing])
    expect(idsOf(await window.read())).not.toContain(pressing)
    now += 10_000
    expect(idsOf(await window.read())).toContain(pressing)
  })

  it('is selected again when most of its jobs have started', async () => {
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

it('is selected again when many jobs were submitted', async () => {
  let now = 0
  const window = new PendingWindow(() => (now += 500))
  await window.read()
  const like = await makeJob()
  await copyRows('jobs', like, { competition_id: 'burst' }, { count: 1100 })
  expect(await window.read()).toHaveLength(5_000)
  await db.pool.query("DELETE FROM jobs WHERE competition_id = 'burst'")
})

it('is selected for each pass if that is fast', async () => {
  const window = new PendingWindow(() => 0)
  const pressing = await someOutside(await window.read())
  await db.pool.query('UPDATE jobs SET priority = 100 WHERE id = $1', [pressing])
  expect(idsOf(await window.read())).toContain(pressing)
})

it('a pending window has jobs of a token although 300 jobs of another token of the same user wait for its limit', async () => {
  const ada = await makePerson()
  const [night, day] = [await makeToken(ada), await makeToken(ada)]
  const like = await makeJob({ userId: ada.id })
  const waits = { reason: 'token_max_gpus' }
  const earlier = { created_at: new Date(Date.now() - 3_600_000) }
  await copyRows('jobs', like, { ...waits, ...earlier, token_id: night.tokenId }, { count: 300 })
  const [other] = await copyRows('jobs', like, { ...waits, token_id: day.tokenId })
  expect(idsOf(await new PendingWindow().read())).toContain(other)
})
