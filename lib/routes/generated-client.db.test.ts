import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient as generate } from '@hey-api/openapi-ts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makePerson, makeToken } from '../access/testing/people'
import { projectSchema } from '../contract/access/projects'
import { allOperations } from '../contract/operations/operations'
import { queueSubmittedSchema } from '../contract/queue'
import { testDatabase } from '../database/testing/test-database'
import { openapiDocument } from '../http/openapi'
import { answerApi } from '../http/server/answer-api'
import { apiRoutes } from './routes'

/** Tests the client that a common generator makes from the OpenAPI document. */

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

interface Called {
  data?: unknown
  error?: unknown
  response: Response
}
type Sdk = Record<string, (options: object) => Promise<Called>>

const directory = mkdtempSync(join(tmpdir(), 'gpuq-openapi-'))
afterAll(() => rmSync(directory, { recursive: true }))

let sdk: Sdk
beforeAll(async () => {
  const document = JSON.parse(JSON.stringify(openapiDocument('http://localhost:8001')))
  await generate({ input: document, output: directory, logs: { level: 'silent', file: false } })
  sdk = await import(join(directory, 'sdk.gen.ts'))
})

/** Passes a request to its route, as the server does. */
const serve = (request: Request) => answerApi(apiRoutes, request)

interface Answer {
  status: number
  data?: unknown
  error?: unknown
}
type Call = (name: string, options?: object) => Promise<Answer>

/** The generated functions, called with a token. */
async function callerOf(role: 'admin' | 'researcher'): Promise<Call> {
  const person = await makePerson(role)
  await db.pool.query(
    `UPDATE users SET submissions_per_minute = 100, max_active_jobs = 100, job_limits = '{"max_priority": 100}'`,
  )
  const { token } = await makeToken(person, role === 'admin' ? ['admin'] : ['submit', 'read'])
  return async (name, options = {}) => {
    const called = await sdk[name]?.({ auth: token, fetch: serve, ...options })
    if (called === undefined) throw new Error(`the client has no ${name}`)
    return { status: called.response.status, data: called.data, error: called.error }
  }
}

it('has a function for each operation', () => {
  const names = allOperations.map(({ id }) => id.replace(/\.(\w)/, (_, letter) => letter.toUpperCase()))
  expect(Object.keys(sdk).sort()).toEqual(names.sort())
})

it('submits, finds and changes jobs', async () => {
  const [call, admin] = [await callerOf('researcher'), await callerOf('admin')]
  const environment = { name: 'python', image: 'python:3.12', is_default: true }
  expect(await admin('environmentsCreate', { body: environment })).toMatchObject({
    status: 201,
    data: environment,
  })

  const config_file = 'competition_id: c\nproject_id: p\nexpected_time: 10\n'
  const upload = { body: { code: 'print(1)', config_file }, query: { wait: 'false' } }
  const uploaded = await call('jobsSubmit', { ...upload, headers: { 'Idempotency-Key': 'once' } })
  expect(uploaded).toMatchObject({ status: 202, data: { status: 'pending' } })
  const queued = await call('queueSubmit', { body: { command: 'true', gpu_count: 1 } })
  expect(queued).toMatchObject({ status: 201, data: { status: 'queued' } })

  const { job_id: id } = queueSubmittedSchema.parse(queued.data)
  const path = { id }
  expect(await call('queueSetPriority', { path, body: { priority: 7 } })).toMatchObject({
    data: { job_id: id, priority: 7 },
  })
  expect(await call('jobsGet', { path })).toMatchObject({ data: { job_id: id, command: 'true' } })
  expect(await call('jobsList', { query: { status: 'pending', limit: 1 } })).toMatchObject({
    data: [{ job_id: id }],
  })
  expect(await call('queueCancel', { path })).toMatchObject({ data: { status: 'cancelled' } })
})

it('receives a problem if a request is rejected', async () => {
  const call = await callerOf('researcher')
  const notFound = { code: 'not_found', status: 404 }
  expect(await call('jobsGet', { path: { id: 'none' } })).toMatchObject({ status: 404, error: notFound })
  expect(await call('usersList')).toMatchObject({ error: { code: 'forbidden' } })
  expect(await call('projectsCreate', { body: { project_id: '../x' } })).toMatchObject({
    error: { code: 'invalid_fields', errors: [{ path: 'project_id' }] },
  })
})

it('reads, changes and removes objects of the caller', async () => {
  const call = await callerOf('researcher')
  const made = await call('projectsCreate', { body: { project_id: 'thesis' } })
  const path = { id: projectSchema.parse(made.data).id }
  const renamed = { data: { name: 'Thesis' } }
  expect(await call('projectsUpdate', { path, body: { name: 'Thesis' } })).toMatchObject(renamed)
  expect(await call('projectsRemove', { path })).toMatchObject({ status: 204 })
  expect(await call('clusterGet', { query: { limit: 1 } })).toMatchObject({ data: { nodes: [] } })
})
