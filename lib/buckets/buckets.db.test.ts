import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { testDatabase } from '../database/testing/test-database'
import { auditRoutes } from '../routes/access/audit'
import { projectRoutes } from '../routes/access/projects'
import { freePort, type S3Server, startS3Server } from '../storage/testing/s3-server'
import { decryptKeys } from './encrypt-keys'
import { bucketRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
let server: S3Server
beforeAll(async () => {
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
  server = await startS3Server({ complete: true })
})
afterAll(() => server.stop())

/** The stand-in of the tests accepts only these keys. */
const keys = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' }
const wrong = { access_key_id: 'UNKNOWN', secret_access_key: 'an-old-secret-key' }

const create = (changes: object = {}, who = admin) =>
  call(bucketRoutes.create, '/api/buckets', {
    method: 'POST',
    body: { name: 'research', bucket: 'gpuq-tests', endpoint: server.options.endpoint, ...keys, ...changes },
    ...who,
  })
const patch = (name: string, body: object, who = admin) =>
  call(bucketRoutes.update, `/api/buckets/${name}`, { method: 'PATCH', body, params: { name }, ...who })
const remove = (name: string, who = admin) =>
  call(bucketRoutes.remove, `/api/buckets/${name}`, { method: 'DELETE', params: { name }, ...who })
const assign = (id: string, bucket: string | null, who = admin) =>
  call(projectRoutes.update, `/api/projects/${id}`, {
    method: 'PATCH',
    body: { bucket },
    params: { id },
    ...who,
  })

async function projectOf(who: Person, project_id: string): Promise<string> {
  const made = await call(projectRoutes.create, '/api/projects', {
    method: 'POST',
    body: { project_id },
    ...who,
  })
  return (made.body as { id: string }).id
}

describe('buckets', () => {
  it('are registered by admins, and no response has their keys', async () => {
    expect(await create({}, ada)).toMatchObject({ status: 403 })
    expect(await call(bucketRoutes.list, '/api/buckets', ada)).toMatchObject({ status: 403 })
    const made = await create()
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'research', bucket: 'gpuq-tests', region: 'us-east-1', projects: [] },
    })
    expect(await create()).toMatchObject({ status: 409 })
    const listed = await call(bucketRoutes.list, '/api/buckets', admin)
    expect(listed).toMatchObject({ status: 200, body: [{ name: 'research' }] })
    for (const { body } of [made, listed]) expect(JSON.stringify(body)).not.toContain('S3RVER')
  })

  it('have their keys encrypted in the database, and not in the audit log', async () => {
    const { rows } = await db.pool.query<{ id: string; keys: Buffer; row: string }>(
      'SELECT id, keys, b::text AS row FROM buckets b',
    )
    const [stored] = rows
    expect(stored?.row).not.toMatch(new RegExp(`S3RVER|${Buffer.from('S3RVER').toString('hex')}`))
    expect(await decryptKeys(stored?.id ?? '', stored?.keys ?? Buffer.alloc(0))).toEqual({
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    })
    const { body } = await call(auditRoutes.list, '/api/audit?action=bucket_created', admin)
    expect(body).toMatchObject([{ target: 'research', detail: { bucket: 'gpuq-tests' } }])
    expect(JSON.stringify(body)).not.toContain('S3RVER')
  })

  it('are refused if gpuq cannot write to them, and the error does not repeat the keys', async () => {
    const refused: [changes: object, message: RegExp][] = [
      [wrong, /rejects these credentials. Check its keys/],
      [{ bucket: 'missing' }, /There is no bucket "missing"/],
      [
        { endpoint: `http://127.0.0.1:${await freePort()}` },
        /not reachable .* the endpoint in its registration/,
      ],
    ]
    for (const [changes, message] of refused) {
      const { status, body } = await create({ name: 'other', ...changes })
      expect(status).toBe(422)
      expect(body).toMatchObject({ errors: [{ path: 'bucket', message: expect.stringMatching(message) }] })
      expect(JSON.stringify(body)).not.toContain('an-old-secret-key')
    }
    for (const [field, value] of [
      ['endpoint', 'ftp://example.org'],
      ['endpoint', 'https://user:password@example.org'],
      ['bucket', 's3://gpuq-tests'],
      ['region', 'a b'],
      ['access_key_id', 'a b'],
      ['name', '../x'],
    ])
      expect(await create({ [field ?? '']: value }), field).toMatchObject({
        status: 422,
        body: { errors: [{ path: field }] },
      })
  })

  it('get new keys, which are checked first', async () => {
    expect(await patch('research', wrong)).toMatchObject({ status: 422 })
    expect(await patch('research', keys, ada)).toMatchObject({ status: 403 })
    expect(await patch('nothing', keys)).toMatchObject({ status: 404 })
    expect(await patch('research', { access_key_id: 'S3RVER' })).toMatchObject({ status: 422 })
    const before = await db.pool.query<{ keys: Buffer }>('SELECT keys FROM buckets')
    expect(await patch('research', keys)).toMatchObject({ status: 200, body: { name: 'research' } })
    const after = await db.pool.query<{ keys: Buffer }>('SELECT keys FROM buckets')
    expect(after.rows[0]?.keys).not.toEqual(before.rows[0]?.keys)
    expect((await call(auditRoutes.list, '/api/audit?action=bucket_keys_changed', admin)).body).toMatchObject(
      [{ target: 'research', detail: {} }],
    )
  })

  it('are assigned to projects by admins', async () => {
    const id = await projectOf(ada, 'first-tries')
    expect(await assign(id, 'research', ada)).toMatchObject({ status: 403 })
    expect(await assign(id, 'nothing')).toMatchObject({ status: 422, body: { errors: [{ path: 'bucket' }] } })
    expect(await assign(id, 'research')).toMatchObject({ status: 200, body: { bucket: 'research' } })
    expect((await call(bucketRoutes.list, '/api/buckets', admin)).body).toMatchObject([
      { projects: [`${ada.handle}/first-tries`] },
    ])
    expect(await remove('research')).toMatchObject({ status: 409 })
    expect(await assign(id, null)).toMatchObject({ status: 200, body: { bucket: null } })
  })

  it('are removed by admins', async () => {
    expect(await remove('research', ada)).toMatchObject({ status: 403 })
    expect(await remove('research')).toMatchObject({ status: 204 })
    expect(await remove('research')).toMatchObject({ status: 404 })
    expect((await call(bucketRoutes.list, '/api/buckets', admin)).body).toEqual([])
  })
})
