import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { copyRows, makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { upload } from '../testing/upload'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[ada, bob, admin] = await Promise.all([makePerson(), makePerson(), makePerson('admin')])
  // The first job creates an environment.
  await makeJob()
})

const update = (id: string, body: unknown, who: { cookie?: string; token?: string } = ada) =>
  call(jobRoutes.update, `/api/jobs/${id}`, { method: 'PATCH', body, params: { id }, ...pick(who) })
/** Without the keys of a person that a call does not have. */
const pick = ({ cookie, token }: { cookie?: string; token?: string }) =>
  token === undefined ? { cookie } : { token }
const list = async (query: string, { cookie } = ada) =>
  ((await call(jobRoutes.list, `/api/jobs?${query}`, { cookie })).body as { job_id: string }[]).map(
    ({ job_id }) => job_id,
  )

describe('the labels of a job', () => {
  it('are its tags at first, and can be changed one by one', async () => {
    const { body } = await upload(ada, { config: 'tags: [baseline, v2, v2]\n' })
    const id = String(body.job_id)
    const read = async () =>
      (await call(jobRoutes.get, `/api/status/${id}`, { ...pick(ada), params: { id } })).body
    expect(await read()).toMatchObject({ tags: ['baseline', 'v2'], starred: false, note: null })
    expect((await update(id, { starred: true })).body).toMatchObject({
      tags: ['baseline', 'v2'],
      starred: true,
    })
    expect((await update(id, { note: ' one\r\ntwo ' })).body).toMatchObject({
      note: 'one\ntwo',
      starred: true,
    })
    await update(id, { tags: ['best', ' best ', 'v3'] })
    expect(await read()).toMatchObject({ tags: ['best', 'v3'], starred: true, note: 'one\ntwo' })
    expect((await update(id, { note: '', starred: false, tags: [] })).body).toMatchObject({
      note: null,
      starred: false,
      tags: [],
    })
  })

  it('can be changed after the end of the job, and are kept when it runs again', async () => {
    const id = await makeJob({ userId: ada.id })
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1`,
      [id],
    )
    expect(await update(id, { tags: ['best'] })).toMatchObject({ status: 200 })
    const { body } = await call(jobRoutes.source, `/api/jobs/${id}/source`, { ...pick(ada), params: { id } })
    expect((body as { config: string }).config).toMatch(/tags:\s+- "?best"?/)
  })

  it.each([
    ['too many tags', { tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, /tags.*at most 20/],
    ['a long tag', { tags: ['x'.repeat(65)] }, /at most 64/],
    ['an empty tag', { tags: [' '] }, /empty/],
    ['a tag that reverses text', { tags: ['a\u202eb'] }, /control characters/],
    ['a tag with NUL', { tags: ['a\0b'] }, /control characters/],
    ['a long note', { note: 'x'.repeat(4_001) }, /at most 4000/],
    ['a note with NUL', { note: 'a\0b' }, /control characters/],
    ['another key', { name: 'new' }, /name/],
    ['another type', { starred: 'yes' }, /starred/],
  ])('refuse %s in words', async (_, body, words) => {
    const id = await makeJob({ userId: ada.id })
    const answer = await update(id, body)
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).toMatch(words)
  })

  it('accept the largest values', async () => {
    const id = await makeJob({ userId: ada.id })
    const tags = Array.from({ length: 20 }, (_, at) => `${at}`.padStart(64, 'é'))
    const note = `${'é\n\t'.repeat(1_333)}!`
    expect((await update(id, { tags, note })).body).toMatchObject({ tags, note })
  })

  it('the labels of a job of another user do not exist, except for admins, whose changes are audited', async () => {
    const id = await makeJob({ userId: ada.id })
    expect(await update(id, { starred: true }, bob)).toMatchObject({ status: 404 })
    expect(await update(id, 'not json', bob)).toMatchObject({ status: 404 })
    expect(await update('x', { starred: true })).toMatchObject({ status: 404 })
    const reader = await makeToken(ada, ['read'])
    expect(await update(id, { starred: true }, { token: reader.token })).toMatchObject({ status: 403 })
    expect(await update(id, { tags: ['seen'] }, admin)).toMatchObject({ status: 200 })
    const { rows } = await db.pool.query(
      `SELECT actor_id, detail FROM audit_events WHERE action = 'job_changed' AND target = $1`,
      [id],
    )
    expect(rows).toEqual([{ actor_id: admin.id, detail: { keys: ['tags'] } }])
  })
})

describe('a list of jobs', () => {
  it('has the labels, and can be filtered by a tag and by the star', async () => {
    const carol = await makePerson()
    const [plain, tagged, starred] = await Promise.all(
      Array.from({ length: 3 }, () => makeJob({ userId: carol.id })),
    )
    if (!plain || !tagged || !starred) throw new Error('three jobs')
    await update(tagged, { tags: ['v2', 'best'] }, carol)
    await update(starred, { tags: ['v20'], starred: true }, carol)
    const foreign = await makeJob({ userId: bob.id })
    await update(foreign, { tags: ['v2'], starred: true }, bob)
    expect((await list('', carol)).sort()).toEqual([plain, tagged, starred].sort())
    expect(await list('tag=v2', carol)).toEqual([tagged])
    expect(await list('tag=V2', carol)).toEqual([])
    expect(await list('starred=true', carol)).toEqual([starred])
    expect(await list('starred=true&tag=v2', carol)).toEqual([])
    expect((await call(jobRoutes.list, '/api/jobs?tag=v2', pick(carol))).body).toMatchObject([
      { job_id: tagged, tags: ['v2', 'best'], starred: false },
    ])
    expect((await call(jobRoutes.list, `/api/jobs?tag=${'x'.repeat(65)}`, pick(carol))).status).toBe(422)
  })

  it('uses an index for both filters', async () => {
    const dora = await makePerson()
    const like = await makeJob({ userId: dora.id })
    await copyRows('jobs', like, {}, { count: 5_000 })
    await update(like, { starred: true, tags: ['rare'] }, dora)
    await db.pool.query('ANALYZE jobs')
    const plan = async (where: string) => {
      const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT id FROM jobs j WHERE j.user_id = '${dora.id}' AND ${where}
          ORDER BY j.created_at DESC, j.id DESC LIMIT 51`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    expect(await plan('j.starred')).toContain('jobs_starred')
    expect(await plan(`j.tags @> ARRAY['rare'] AND j.tags <> '{}'`)).toContain('jobs_tagged')
  })
})
