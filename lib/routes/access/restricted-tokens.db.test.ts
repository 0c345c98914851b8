import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createProject, updateProject } from '../../access/projects/projects'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { createToken } from '../../access/tokens/tokens'
import { makeJob } from '../../cluster/testing/rows'
import { createTokenSchema } from '../../contract/access/access'
import type { Operation } from '../../contract/operations/operation'
import { allOperations } from '../../contract/operations/operations'
import { testDatabase } from '../../database/testing/test-database'
import { answerApi } from '../../http/server/answer-api'
import { createTokensSchema } from '../../people/contract-token-batches'
import { createTokens } from '../../people/create-tokens'
import { diskStore } from '../../storage/disk'
import { setStorage } from '../../storage/storage'
import { archiveRoutes } from '../archives/archives'
import { jobRoutes } from '../jobs/jobs'
import { apiRoutes } from '../routes'
import { submissionRoutes } from '../submission/submission'
import { tokenRoutes } from './tokens'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

/** The operations that restricted tokens may call. Each reads only the jobs that the token reaches. */
const allowed = [
  'agents.message',
  'archives.limits',
  'archives.register',
  'archives.send',
  'budgets.list',
  'environments.list',
  'experiments.get',
  'experiments.list',
  'groups.cancel',
  'groups.create',
  'groups.extend',
  'groups.files',
  'groups.get',
  'groups.list',
  'groups.members',
  'groups.ofJob',
  'groups.rerunFailed',
  'groups.wait',
  'jobs.artifact',
  'jobs.artifactArchive',
  'jobs.artifactPreview',
  'jobs.artifacts',
  'jobs.cancel',
  'jobs.check',
  'jobs.count',
  'jobs.events',
  'jobs.fileChanges',
  'jobs.fileContent',
  'jobs.files',
  'jobs.filesOfJobs',
  'jobs.get',
  'jobs.list',
  'jobs.metrics',
  'jobs.metricsCsv',
  'jobs.result',
  'jobs.source',
  'jobs.submit',
  'jobs.usage',
  'jobs.workingFile',
  'jobs.workingFiles',
  'queue.cancel',
  'queue.get',
  'queue.submit',
]

let [root, token, agentToken, classId] = ['', '', '', '']
let [teacher, student, fellow] = [] as unknown as [Person, Person, Person]

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-bound-'))
  setStorage(diskStore(root))
  // The first job creates an environment.
  await makeJob()
  teacher = await makePerson('admin')
  ;[student, fellow] = [await makePerson(), await makePerson()]
  const given = { project_id: 'class-2026', kind: 'class', members: [] } as const
  classId = (await createProject(teacher.actor, { ...given, members: [] })).id
  for (const person of [student, fellow]) await enrol(person)
  await db.pool.query('UPDATE users SET max_active_jobs = 1000, submissions_per_minute = 1000')
  token = await tokenOf(student)
  agentToken = await agentTokenOf(student)
})
afterAll(() => rm(root, { recursive: true }))

const enrol = ({ id }: Person) =>
  db.pool.query(
    `INSERT INTO memberships (project_id, user_id, agreed_at, agreed_kind) VALUES ($1, $2, now(), 'class')`,
    [classId, id],
  )

async function tokenOf({ handle }: Person): Promise<string> {
  const input = createTokensSchema.parse({ users: handle, class_id: classId })
  return (await createTokens(teacher.actor, input)).tokens[0]?.token ?? ''
}

async function agentTokenOf({ actor }: Person, limits: object = {}): Promise<string> {
  const input = createTokenSchema.parse({ name: 'agent', limits })
  return (await createToken(actor, input)).token
}

/** Calls the route of an operation with the token of a class. Each parameter of the path is the same id. */
async function send({ method, path }: Operation, id: string, given = token) {
  const query = `?${new URLSearchParams({ names: 'loss', since: id, path: 'a', job: id, ids: id })}`
  const body = method === 'get' ? {} : { body: '{}' }
  const request = new Request(`http://localhost:8001${path.replaceAll(/\{\w+\}/g, id)}${query}`, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${given}`, 'content-type': 'application/json' },
    ...body,
  })
  const response = await answerApi(apiRoutes, request)
  return { status: response.status, text: await response.text() }
}

interface SubmitGiven {
  who?: { token?: string; cookie?: string }
  headers?: Record<string, string>
  query?: string
}

async function submitConfig(
  config: string,
  { who = { token }, headers = {}, query = '' }: SubmitGiven = {},
): Promise<{ status: number; body: { job_id: string; detail: string; jobs?: unknown } }> {
  const form = new FormData()
  form.append('code', new Blob(['print(1)']), 'solution.py')
  form.append('config_file', new Blob([config]), 'config.yaml')
  const request = new Request(`http://localhost:8001/api/submit?wait=false${query}`, {
    method: 'POST',
    headers: {
      ...(who.token === undefined ? {} : { authorization: `Bearer ${who.token}` }),
      ...(who.cookie === undefined ? {} : { cookie: who.cookie, 'sec-fetch-site': 'same-origin' }),
      ...headers,
    },
    body: form,
  })
  const response = await submissionRoutes.submit(request, { params: Promise.resolve({}) })
  return { status: response.status, body: await response.json() }
}

const configOf = (project: string, more = '') =>
  `competition_id: c\nproject_id: ${project}\nexpected_time: 10\n${more}`

const accepted = async (config: string, given?: SubmitGiven) => {
  const { status, body } = await submitConfig(config, given)
  expect(status, JSON.stringify(body)).toBe(202)
  return body.job_id
}

const projectOf = async (jobId: string) =>
  (await db.pool.query('SELECT project_id FROM jobs WHERE id = $1', [jobId])).rows[0]?.project_id

const refused = allOperations.filter(
  ({ access, restrictedTokens }) => access !== 'public' && !restrictedTokens,
)
const ofJobs = allOperations.filter(({ id, path }) => allowed.includes(id) && path.includes('{id}'))

describe('the token of a class', () => {
  it('may call these operations and no others: a new one is refused until it is named here', () => {
    const declared = allOperations.filter(({ restrictedTokens }) => restrictedTokens).map(({ id }) => id)
    expect(declared.sort()).toEqual(allowed)
  })

  const cases = refused.map((operation) => [operation.id, operation] as const)
  it.each(cases)('is refused by %s, whatever its user may do', async (_, operation) => {
    const { status, text } = await send(operation, classId)
    expect([status, text]).toEqual([403, expect.stringContaining('only for the class')])
  })

  it('the token of a class of an admin is refused too', async () => {
    const admin = await makePerson('admin')
    await db.pool.query(
      `INSERT INTO memberships (project_id, user_id, role, agreed_at, agreed_kind) VALUES ($1, $2, 'manager', now(), 'class')`,
      [classId, admin.id],
    )
    const ofAdmin = await tokenOf(admin)
    for (const operation of refused) expect((await send(operation, classId, ofAdmin)).status).toBe(403)
    const others = await accepted(configOf('class-2026'), { who: fellow })
    expect((await call(jobRoutes.get, '/x', { token: ofAdmin, params: { id: others } })).status).toBe(404)
    for (const query of ['', '?all=true', '?q=user:*', `?user_id=${fellow.handle}`]) {
      const { body } = await call(jobRoutes.list, `/api/jobs${query}`, { token: ofAdmin })
      expect(JSON.stringify(body)).not.toContain(others)
    }
    await db.pool.query('DELETE FROM memberships WHERE user_id = $1', [admin.id])
  })
})

describe('a job in another project, or of another user in the class', () => {
  it('does not exist for the token, in each operation', async () => {
    const own = await accepted(configOf('elsewhere'), { who: student })
    const others = await accepted(configOf('class-2026'), { who: fellow })
    expect(ofJobs.length).toBeGreaterThan(10)
    for (const id of [own, others]) {
      for (const operation of ofJobs) {
        const { status, text } = await send(operation, id)
        expect([operation.id, status, text]).toEqual([
          operation.id,
          404,
          expect.stringMatching(/You have no (job|group|job or group) with this id/),
        ])
      }
      const files = allOperations.find((operation) => operation.id === 'jobs.filesOfJobs')
      expect(files && (await send(files, id)).status).toBe(404)
    }
  })

  it('is in no list', async () => {
    const inClass = await accepted(configOf('class-2026'))
    await accepted(configOf('elsewhere'), { who: student })
    const { id } = await createProject(student.actor, { project_id: 'managed', members: [] })
    await db.pool.query(
      `INSERT INTO memberships (project_id, user_id, role) VALUES ($1, $2, 'manager'), ($1, $3, 'member')`,
      [id, student.id, fellow.id],
    )
    await accepted(configOf('managed'), { who: fellow })
    const queries = [
      '',
      '?project_id=elsewhere',
      '?project_id=managed',
      '?q=user:*',
      `?q=user:${student.handle}`,
      `?user_id=${student.handle}`,
      `?user_id=${fellow.handle}`,
      '?all=true',
      '?sort=-created',
    ]
    for (const query of queries) {
      const { body } = await call(jobRoutes.list, `/api/jobs${query}`, { token })
      const jobs = Array.isArray(body) ? (body as { user_id: string; project_id: string }[]) : []
      for (const job of jobs)
        expect(job, query).toMatchObject({ user_id: student.handle, project_id: 'class-2026' })
    }
    const { body } = await call(jobRoutes.list, '/api/jobs', { token })
    expect(JSON.stringify(body)).toContain(inClass)
  })
})

describe('with the token', () => {
  it('a submission goes to the class, also if the user has a project of that name that they prefer', async () => {
    const { id } = await createProject(student.actor, { project_id: 'class-2026', members: [] })
    await db.pool.query('UPDATE projects SET preferred_at = now() WHERE id = $1', [id])
    expect(await projectOf(await accepted(configOf('class-2026'), { who: student }))).toBe(id)
    expect(await projectOf(await accepted(configOf('class-2026')))).toBe(classId)
    const inConfig = await accepted(configOf('class-2026', `token: ${token}\n`), { who: {} })
    expect(await projectOf(inConfig)).toBe(classId)
  })

  it('a submission to another project is refused, in the header and in the config', async () => {
    const before = (await db.pool.query('SELECT 1 FROM projects')).rowCount
    for (const project of ['elsewhere', 'new-one', 'managed'])
      for (const given of [{}, { who: {} }, { query: '&dry_run=true' }, { query: '&deduplicate=true' }]) {
        const config = configOf(project, 'who' in given ? `token: ${token}\n` : '')
        const { status, body } = await submitConfig(config, given)
        expect([status, body.detail]).toEqual([
          403,
          'This token is only for the class "class-2026". Write project_id: class-2026, or use another token.',
        ])
      }
    expect((await db.pool.query('SELECT 1 FROM projects')).rowCount).toBe(before)
  })

  it('a directory cannot be uploaded to another project', async () => {
    const body = { project_id: 'elsewhere', entries: [{ path: 'link', target: 'file' }] }
    expect(
      await call(archiveRoutes.register, '/api/archives', { method: 'POST', body, token }),
    ).toMatchObject({
      status: 403,
    })
    const ofClass = { ...body, project_id: 'class-2026' }
    expect(
      await call(archiveRoutes.register, '/api/archives', { method: 'POST', body: ofClass, token }),
    ).toMatchObject({ status: 200 })
  })

  it('no job of another project is found by its content, its key or a dependency', async () => {
    const key = { 'idempotency-key': 'same' }
    const env = 'env: {SEED: "77"}\n'
    const elsewhere = await accepted(configOf('elsewhere', env), { who: student })
    const same = await submitConfig(configOf('class-2026', env), { query: '&deduplicate=true' })
    expect(same.body.job_id).not.toBe(elsewhere)
    // The user prefers the own project of this name, so that the two requests are equal.
    await accepted(configOf('class-2026'), { who: student, headers: key })
    expect(await submitConfig(configOf('class-2026'), { headers: key })).toMatchObject({ status: 422 })
    const dependent = configOf('class-2026', `depends_on: [${elsewhere}]\n`)
    expect(await submitConfig(dependent)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('there is no job') },
    })
    expect((await submitConfig(dependent, { who: student })).status).toBe(202)
  })

  it('a refusal by a limit names no job of another project', async () => {
    const busy = await makePerson()
    await enrol(busy)
    const ofBusy = await tokenOf(busy)
    await accepted(configOf('elsewhere', 'name: only-mine\n'), { who: busy })
    const { status, body } = await submitConfig(configOf('class-2026'), { who: { token: ofBusy } })
    expect([status, JSON.stringify(body)]).toEqual([429, expect.not.stringContaining('only-mine')])
    const own = await submitConfig(configOf('class-2026'), { who: busy })
    expect(JSON.stringify(own.body.jobs)).toContain('only-mine')
  })

  it('the values of variables stay hidden, because somebody else may have made it', async () => {
    const id = await accepted(configOf('class-2026', 'env: {KEY: my-secret}\n'), { who: fellow })
    const given = { token: await tokenOf(fellow), params: { id } }
    const { status, body } = await call(jobRoutes.source, '/x', given)
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('my-secret')])
    const { body: own } = await call(jobRoutes.source, '/x', { cookie: fellow.cookie, params: { id } })
    expect(JSON.stringify(own)).toContain('my-secret')
  })

  it('a job of the class is read and cancelled', async () => {
    const id = await accepted(configOf('class-2026'))
    expect(await call(jobRoutes.get, '/x', { token, params: { id } })).toMatchObject({
      status: 200,
      body: { job_id: id, project_id: 'class-2026' },
    })
    const cancelled = await call(jobRoutes.cancel, '/x', { method: 'POST', token, params: { id } })
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
  })
})

it('an ordinary token of the same user is not bound', async () => {
  const { token: own } = await makeToken(student)
  const id = await accepted(configOf('elsewhere'), { who: { token: own } })
  expect((await call(jobRoutes.get, '/x', { token: own, params: { id } })).status).toBe(200)
})

it('the database refuses a bound token with more rights, and one without a membership', async () => {
  const insert = (userId: string, scopes: string) =>
    db.pool.query(
      `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, project_id)
       VALUES (gen_random_uuid(), $1, 'n', sha256(gen_random_uuid()::text::bytea), 'h', $2::text[], $3)`,
      [userId, scopes, classId],
    )
  await expect(insert(student.id, '{read,admin}')).rejects.toThrow('api_tokens_class_check')
  await expect(insert(teacher.id, '{read}')).rejects.toThrow('api_tokens_project_id_user_id_fkey')
  await updateProject(teacher.actor, classId, { name: 'Class' })
})

describe('the token of an agent', () => {
  const submitAs = (who: string, config: string, given: SubmitGiven = {}) =>
    submitConfig(config, { ...given, who: { token: who } })
  const ownConfig = (more = '') => configOf('elsewhere', more)
  const detailOf = async (who: string, config: string) => (await submitAs(who, config)).body.detail

  beforeAll(() => accepted(ownConfig(), { who: student }))

  const cases = refused.map((operation) => [operation.id, operation] as const)
  it.each(cases)('the token of an agent is refused by %s, whatever its user may do', async (_, operation) => {
    const { status, text } = await send(operation, classId, agentToken)
    expect([status, text]).toEqual([403, expect.stringContaining('A person must do this')])
  })

  it('the jobs of its user that the token of an agent did not submit do not exist for it, in each operation and each list', async () => {
    const { token: ordinary } = await makeToken(student)
    const others = [
      await accepted(ownConfig(), { who: student }),
      await accepted(ownConfig(), { who: { token: ordinary } }),
      await accepted(ownConfig(), { who: { token: await agentTokenOf(student) } }),
    ]
    const queries = ['', '?all=true', '?q=user:*', `?user_id=${student.handle}`, '?project_id=elsewhere']
    for (const id of others) {
      for (const operation of ofJobs)
        expect([operation.id, (await send(operation, id, agentToken)).status]).toEqual([operation.id, 404])
      for (const query of queries) {
        const { body } = await call(jobRoutes.list, `/api/jobs${query}`, { token: agentToken })
        expect(JSON.stringify(body)).not.toContain(id)
      }
    }
  })

  it('the token of an agent reads and cancels what it submitted, and its user sees it', async () => {
    const { body } = await submitAs(agentToken, ownConfig())
    const params = { id: body.job_id }
    expect((await call(jobRoutes.get, '/x', { token: agentToken, params })).status).toBe(200)
    const listed = await call(jobRoutes.list, '/api/jobs', { token: agentToken })
    expect(JSON.stringify(listed.body)).toContain(body.job_id)
    expect(await call(jobRoutes.get, '/x', { cookie: student.cookie, params })).toMatchObject({
      body: { submitted_with: { name: 'agent' } },
    })
    const cancelled = await call(jobRoutes.cancel, '/x', { method: 'POST', token: agentToken, params })
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
  })

  it('an agent finds no other job of its user by its content, its key or a dependency', async () => {
    const env = 'env: {SEED: "78"}\n'
    const headers = { 'idempotency-key': 'of-the-user' }
    const ofUser = await accepted(ownConfig(env), { who: student, headers })
    const same = await submitAs(agentToken, ownConfig(env), { query: '&deduplicate=true' })
    expect([same.status, same.body.job_id === ofUser]).toEqual([202, false])
    expect((await submitAs(agentToken, ownConfig(env), { headers })).status).toBe(422)
    expect((await submitAs(agentToken, ownConfig(`depends_on: [${ofUser}]\n`))).status).toBe(422)
  })

  it('the name of a run means a run of the agent, never one of its user, of all members or of another agent', async () => {
    const config = ownConfig('run_name: base\n')
    const share = (shared: boolean) =>
      db.pool.query("UPDATE projects SET share_runs = $1 WHERE slug = 'elsewhere'", [shared])
    await share(true)
    const ofProject = await accepted(config, { who: student })
    const ofAgent = await accepted(config, { who: { token: agentToken } })
    await share(false)
    const ofUser = await accepted(config, { who: student })
    const ofAnother = await accepted(config, { who: { token: await agentTokenOf(student) } })
    const { rows } = await db.pool.query(
      'SELECT DISTINCT named_run_id FROM jobs WHERE id = ANY ($1::uuid[])',
      [[ofProject, ofAgent, ofUser, ofAnother]],
    )
    expect(rows).toHaveLength(4)
    const { status, body } = await submitAs(agentToken, config)
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining(ofAgent)])
  })

  it.each([
    ['notify_url', 'notify_url: https://example.org/x\n'],
    ['tty', 'tty: true\n'],
    ['host_script', 'host_script: /home/ada/train.py\n'],
  ])('in a job of an agent, the config key %s is refused by its name', async (name, config) => {
    const { status, body } = await submitAs(agentToken, ownConfig(config))
    expect([status, body.detail]).toEqual([422, `${name}: is not for the jobs of an agent: remove this key`])
  })

  it('a job of an agent has the working directory that gpuq mcp sends: a directory of its own', async () => {
    const { status } = await submitAs(agentToken, ownConfig('working_directory: /workspace/project\n'))
    expect(status).toBe(202)
  })

  it('a job beyond a limit of the token is refused with the key and the limit, also as a dry run', async () => {
    await accepted(configOf('allowed'), { who: student })
    const { rows } = await db.pool.query('SELECT name FROM environments WHERE is_default')
    const name = String(rows[0]?.name)
    const limited = await agentTokenOf(student, {
      projects: ['allowed'],
      environments: [name],
      max_priority: -5,
      max_time: 600,
      max_gpus: 2,
    })
    const config = (more = '') => configOf('allowed', `priority: -5\n${more}`)
    expect((await submitAs(limited, config())).status).toBe(202)
    expect((await submitAs(limited, configOf('elsewhere'))).status).toBe(403)
    expect(await detailOf(limited, configOf('allowed'))).toMatch(/^priority: must be at most -5/)
    expect(await detailOf(limited, config('max_time: 900\n'))).toMatch(/^max_time: must be at most 600/)
    expect(await detailOf(limited, config('gpu_count: 4\n'))).toMatch(/^gpu_count: must be at most 2/)
    expect((await submitAs(limited, config('gpu_count: 4\n'), { query: '&dry_run=true' })).status).toBe(422)
    await db.pool.query(`INSERT INTO environments (id, name, image) VALUES (gen_random_uuid(), 'other', 'i')`)
    expect(await detailOf(limited, config('environment: other\n'))).toMatch(
      new RegExp(`^environment: must be one of ${name}`),
    )
  })

  it('an agent creates no project', async () => {
    const { status, body } = await submitAs(agentToken, configOf('new-project'))
    expect([status, body.detail]).toEqual([403, expect.stringContaining('An agent creates no projects')])
  })

  it('a token for an agent has no scope admin, and names only projects and environments that exist', async () => {
    const make = (body: object) =>
      call(tokenRoutes.create, '/api/tokens', {
        method: 'POST',
        body: { name: 'agent', ...body },
        cookie: teacher.cookie,
      })
    expect((await make({ scopes: ['submit', 'admin'], limits: {} })).status).toBe(422)
    expect((await make({ limits: { projects: ['unknown'] } })).status).toBe(422)
    expect((await make({ limits: { environments: ['unknown'] } })).status).toBe(422)
    expect((await make({ limits: { unknown: 1 } })).status).toBe(422)
    expect(await make({ limits: { gpu_hours: 3 } })).toMatchObject({
      status: 201,
      body: { limits: { gpu_hours: 3, projects: null } },
    })
    await expect(
      db.pool.query(`UPDATE api_tokens SET scopes = '{read,admin}' WHERE limits IS NOT NULL`),
    ).rejects.toThrow('api_tokens_agent_check')
  })
})
