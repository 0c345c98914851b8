import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { findEnvironment } from '../../access/environments'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeNode } from '../../cluster/testing/rows'
import { environmentSchema } from '../../contract/access/environments'
import { testDatabase } from '../../database/testing/test-database'
import { recordPrepareProblem } from '../../warm/warm-containers'
import { environmentRoutes } from './environments'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
})

const create = (body: object, who = admin) =>
  call(environmentRoutes.create, '/api/environments', { method: 'POST', body, ...who })
const patch = (name: string, body: object, who = admin) =>
  call(environmentRoutes.update, `/api/environments/${name}`, {
    method: 'PATCH',
    body,
    params: { name },
    ...who,
  })
const names = async (who: Person) =>
  environmentSchema
    .array()
    .parse((await call(environmentRoutes.list, '/api/environments', who)).body)
    .map(({ name }) => name)

async function defaults(): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>('SELECT name FROM environments WHERE is_default')
  return rows.map(({ name }) => name)
}

describe('environments', () => {
  it('can be created and changed by admins; users see the enabled ones', async () => {
    const python = { name: 'python', image: 'gpuq/python:2', is_default: true }
    expect(await create(python, ada)).toMatchObject({ status: 403 })
    expect(await create(python)).toMatchObject({ status: 201, body: { network: 'none', enabled: true } })
    expect(await create(python)).toMatchObject({ status: 409 })
    await create({ name: 'old', image: 'old:1' })
    expect(await patch('old', { enabled: false }, ada)).toMatchObject({ status: 403 })
    expect(await patch('old', { enabled: false })).toMatchObject({ status: 200, body: { enabled: false } })
    expect([await names(ada), await names(admin)]).toEqual([['python'], ['python', 'old']])
    expect(await patch('none', { enabled: false })).toMatchObject({ status: 404 })
    expect(await patch('../x', { enabled: false })).toMatchObject({ status: 404 })
  })

  it('keep the omitted fields of a change', async () => {
    const made = { name: 'net', image: 'net:1', description: 'with network', network: 'internet' }
    await create(made)
    const { body } = await patch('net', { image: 'net:2' })
    const rest = {
      is_default: false,
      enabled: true,
      prepare: [],
      prepare_problem: null,
      prepare_problem_at: null,
    }
    expect(body).toEqual({ ...made, image: 'net:2', ...rest })
    expect((await patch('net', {})).body).toEqual(body)
  })

  it('list modules to import, and show admins why a node does not use them', async () => {
    const prepare = ['torch', 'sklearn.svm']
    expect(await create({ name: 'ml', image: 'ml:1', prepare })).toMatchObject({
      status: 201,
      body: { prepare },
    })
    for (const wrong of [
      ['torch; import os'],
      ['a-b'],
      ['a.'],
      ['1a'],
      ['a', 'a'],
      [''],
      'torch',
      Array(21).fill('a'),
    ])
      expect(await patch('ml', { prepare: wrong })).toMatchObject({ status: 422 })

    const lease = await makeNode({ name: 'a', gpus: 1 })
    await recordPrepareProblem(lease, { image: 'ml:1', prepare }, 'import torch failed')
    await recordPrepareProblem(lease, { image: 'ml:1', prepare: ['other'] }, 'of earlier modules')
    const problemFor = async (who: Person) => {
      const { body } = await call(environmentRoutes.list, '/api/environments', who)
      return environmentSchema
        .array()
        .parse(body)
        .find(({ name }) => name === 'ml')?.prepare_problem
    }
    expect([await problemFor(admin), await problemFor(ada)]).toEqual(['a: import torch failed', null])
    expect(await patch('ml', { description: 'd' })).toMatchObject({
      body: { prepare_problem: 'a: import torch failed', prepare_problem_at: expect.any(String) },
    })
    await recordPrepareProblem(lease, { image: 'ml:1', prepare }, null)
    expect(await problemFor(admin)).toBeNull()
    await recordPrepareProblem(lease, { image: 'ml:1', prepare }, 'again')
    expect(await patch('ml', { prepare: ['torch'] })).toMatchObject({
      body: { prepare: ['torch'], prepare_problem: null, prepare_problem_at: null },
    })
    await recordPrepareProblem(
      { ...lease, leaseId: randomUUID() },
      { image: 'ml:1', prepare: ['torch'] },
      'late',
    )
    expect(await problemFor(admin)).toBeNull()
  })

  it('need a valid image reference', async () => {
    for (const image of ['', '-v /:/host', 'a b', 'a\nb', 'ü']) {
      expect(await create({ name: 'bad', image })).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'image' }] },
      })
    }
    const digest = `registry.example.org:5000/team/torch@sha256:${'0'.repeat(64)}`
    expect(await create({ name: 'good', image: digest })).toMatchObject({ status: 201 })
  })

  it('have one default at every moment, also with concurrent changes', async () => {
    const many = Array.from({ length: 10 }, () => `d-${randomUUID()}`)
    const made = await Promise.all(many.map((name) => create({ name, image: 'i', is_default: true })))
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
    const [current = ''] = await defaults()
    expect(await defaults()).toEqual([current])
    expect(await patch(current, { enabled: false })).toMatchObject({ status: 409 })
    expect(await patch(current, { is_default: false })).toMatchObject({ status: 409 })
    expect(await patch('old', { is_default: true })).toMatchObject({ status: 409 })
    expect(await patch('python', { is_default: true })).toMatchObject({ status: 200 })
    expect(await defaults()).toEqual(['python'])
  })
})

describe('the environment of a job', () => {
  it('is the one in its config, or the default', async () => {
    expect(await findEnvironment('net')).toMatchObject({ name: 'net', image: 'net:2', network: 'internet' })
    expect(await findEnvironment(null)).toMatchObject({ name: 'python', network: 'none' })
  })

  it('is rejected with the known names if it is unknown or disabled', async () => {
    for (const name of ['pytorch', 'old', 'Python']) {
      await expect(findEnvironment(name)).rejects.toMatchObject({
        status: 422,
        errors: [{ path: 'environment', message: expect.stringContaining('"python", ') }],
      })
    }
    await db.pool.query('DELETE FROM environments')
    await expect(findEnvironment(null)).rejects.toMatchObject({ status: 422 })
  })
})
