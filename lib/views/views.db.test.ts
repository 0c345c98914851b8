import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { testDatabase } from '../database/testing/test-database'
import { viewRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[ada, bob, admin] = await Promise.all([makePerson(), makePerson(), makePerson('admin')])
})

const create = (body: unknown, { cookie } = ada) =>
  call(viewRoutes.create, '/api/views', { method: 'POST', body, cookie })
const list = async ({ cookie } = ada) => (await call(viewRoutes.list, '/api/views', { cookie })).body
const change = (id: string, body: unknown, { cookie } = ada) =>
  call(viewRoutes.update, `/api/views/${id}`, { method: 'PATCH', body, cookie, params: { id } })
const remove = (id: string, { cookie } = ada) =>
  call(viewRoutes.remove, `/api/views/${id}`, { method: 'DELETE', cookie, params: { id } })
const idOf = ({ body }: { body: unknown }) => (body as { view_id: string }).view_id

describe('saved views', () => {
  it('are created, renamed and deleted by their owner', async () => {
    const view = {
      name: ' Failed baselines ',
      q: 'status:failed tag:baseline',
      sort: '-metric.loss',
      columns: 'status',
    }
    const answer = await create(view)
    expect(answer).toMatchObject({ status: 201, body: { ...view, name: 'Failed baselines', all: false } })
    expect(await list()).toMatchObject([{ name: 'Failed baselines' }])
    expect(await list(bob)).toEqual([])
    const id = idOf(answer)
    expect(await change(id, { name: 'Baselines' })).toMatchObject({
      status: 200,
      body: { name: 'Baselines', q: view.q },
    })
    expect(await change(id, { name: 'Baselines' })).toMatchObject({ status: 200 })
    expect(await remove(id)).toMatchObject({ status: 204 })
    expect(await list()).toEqual([])
    expect(await remove(id)).toMatchObject({ status: 404 })
  })

  it('have different names, also if two are saved at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ name: 'same' }, bob)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const other = await create({ name: 'other' }, bob)
    expect(await change(idOf(other), { name: 'same' }, bob)).toMatchObject({
      status: 409,
      body: { detail: 'You have a view with this name. Choose another name, or delete that view.' },
    })
  })

  it('saved views of another user do not exist', async () => {
    const id = idOf(await create({ name: 'secret' }))
    for (const person of [bob, admin]) {
      expect(await change(id, { name: 'mine' }, person)).toMatchObject({ status: 404 })
      expect(await change(id, 'no json', person)).toMatchObject({ status: 404 })
      expect(await remove(id, person)).toMatchObject({ status: 404 })
    }
    expect(await change('x', { name: 'mine' })).toMatchObject({ status: 404 })
    const { token } = await makeToken(ada, ['read'])
    expect(
      await call(viewRoutes.create, '/api/views', { method: 'POST', body: { name: 'x' }, token }),
    ).toMatchObject({
      status: 403,
    })
    expect(await list()).toMatchObject([{ name: 'secret' }])
  })

  it('saved views of all jobs are for admins', async () => {
    expect(await create({ name: 'all', all: true })).toMatchObject({ status: 403 })
    expect(await create({ name: 'all', all: true }, admin)).toMatchObject({
      status: 201,
      body: { all: true },
    })
  })

  it.each([
    ['an empty name', { name: ' ' }, /name.*empty/],
    ['a long name', { name: 'x'.repeat(65) }, /at most 64/],
    ['no name', { q: 'x' }, /name.*missing/],
    ['a wrong search', { name: 'x', q: 'tag:"' }, /Character 5: this quote/],
    ['a wrong order', { name: 'x', sort: 'name' }, /wait, run_time/],
    ['another key', { name: 'x', path: '/' }, /path/],
    ['NUL', { name: 'x', columns: '\0' }, /NUL/],
  ])('saved views with %s are refused in words', async (_, body, words) => {
    const answer = await create(body)
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).toMatch(words)
  })

  it('are at most 50 for each user', async () => {
    const carol = await makePerson()
    for (let at = 0; at < 50; at++) await create({ name: `view ${at}` }, carol)
    expect(await create({ name: 'one more' }, carol)).toMatchObject({
      status: 409,
      body: { detail: 'You have 50 saved views, which is the limit. Delete one.' },
    })
  })
})
