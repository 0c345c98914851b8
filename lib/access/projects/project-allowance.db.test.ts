import { describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { makePerson, type Person } from '../testing/people'
import { createProject } from './projects'
import { findOrCreateProject } from './submission-project'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const create = ({ actor }: Person, project_id: string, owner?: string) =>
  createProject(actor, { project_id, members: [], ...(owner === undefined ? {} : { owner }) })
const submitTo = ({ actor }: Person, slug: string) =>
  transaction((tx) => findOrCreateProject(tx, actor, slug))

/** Makes the user's projects older than the window of the rate. */
const age = ({ id }: Person) =>
  db.pool.query("UPDATE projects SET created_at = created_at - interval '61 s' WHERE owner_id = $1", [id])

async function insertProjects({ id }: Person, count: number): Promise<void> {
  await db.pool.query(
    `INSERT INTO projects (id, slug, owner_id) SELECT gen_random_uuid(), 'p-' || n, $1 FROM generate_series(1, $2) n`,
    [id, count],
  )
}

async function countProjects({ id }: Person): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM projects WHERE owner_id = $1',
    [id],
  )
  return rows[0]?.count ?? 0
}

describe('the projects of a researcher', () => {
  it('are limited to twenty new ones per minute, also by concurrent requests and submissions', async () => {
    const ada = await makePerson()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) => (n % 2 ? create(ada, `new-${n}`) : submitTo(ada, `new-${n}`))),
    )
    expect(await countProjects(ada)).toBe(20)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue
      expect(outcome.reason).toMatchObject({
        code: 'rate_limited',
        message: expect.stringMatching(/20 new projects .* limit is 20\. Try again in \d+ seconds/),
        headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      })
    }
    await age(ada)
    await create(ada, 'later')
  })

  it('are limited to fifty; existing ones stay usable', async () => {
    const ada = await makePerson()
    await insertProjects(ada, 49)
    await age(ada)
    const last = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? submitTo(ada, 'last') : submitTo(ada, `last-${n}`))),
    )
    expect(await countProjects(ada)).toBe(50)
    const refused = last.find(({ status }) => status === 'rejected')
    expect(refused).toMatchObject({
      reason: {
        code: 'conflict',
        message: expect.stringMatching(/owns 50 projects, and the limit is 50\. .*ask an admin/),
      },
    })
    await submitTo(ada, 'p-1')
    await expect(create(ada, 'one-more')).rejects.toMatchObject({ code: 'conflict' })
  })

  it('count for an admin who submits for them, and not for an admin who creates one', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    await insertProjects(ada, 50)
    await expect(submitTo(ada, 'for-her')).rejects.toMatchObject({ code: 'conflict' })
    await create(admin, 'for-her', ada.handle)
    await insertProjects(admin, 60)
    await create(admin, 'mine')
    await submitTo(admin, 'mine-too')
  })
})
