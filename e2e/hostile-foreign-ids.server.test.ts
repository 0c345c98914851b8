import { beforeAll, expect, it } from 'vitest'
import { allOperations } from '@/lib/contract/operations/operations'
import { expectProblem } from './expect-problem'
import { bearer, type Call, call } from './http-call'
import { sessionCookie } from './sign-in'
import { storedData } from './stored-data'
import { adminClient, createUser, noLimits, type TestUser } from './test-users'
import { configText, submit, waitingConfig } from './uploads'

/** One user sends the ids of another user to every route with every method. */

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const neverWas = '01920000-0000-7000-8000-000000000000'
const secret = 'what-only-ada-may-know'

let [ada, bob] = [] as unknown as [TestUser, TestUser]
/** The ids of Ada's objects, by the first segments of the paths that name them. */
let adas: {
  jobs: string
  tokens: string
  projects: string
  users: string
  sessions: string
  'project-invitations': string
  archives: string
  snapshots: string
  'notifications/targets': string
  'notifications/deliveries': string
  views: string
  groups: string
  'result-shares': string
  competitions: string
}

beforeAll(async () => {
  ada = await createUser({ name: 'ada', limits: noLimits })
  bob = await createUser({ name: 'bob' })
  const job = await submit(ada, `print("${secret}")`, configText({ name: secret, project_id: secret }), {
    wait: true,
  })
  const [project] = (await ada.client.projects.list()).items
  const [token] = (await ada.client.tokens.list()).items
  await sessionCookie(ada)
  const [session] = await ada.client.sessions.list()
  adas = {
    jobs: job,
    tokens: token?.token_id ?? '',
    projects: project?.id ?? '',
    users: ada.handle,
    sessions: session?.session_id ?? '',
    'project-invitations': await inviteAda(),
    archives: await registerArchive(),
    snapshots: await pushSnapshot(project?.id ?? ''),
    ...(await addTarget()),
    views: (await ada.client.views.create({ name: secret })).view_id,
    groups: await submitGroup(),
    competitions: await createCompetition(),
    'result-shares': (
      await ada.client.results.share(project?.id ?? '', { job_ids: [job], columns: ['name'] })
    ).id,
  }
})

/** Returns the id of an invitation of Ada to a project of another user. */
async function inviteAda(): Promise<string> {
  const { client } = await createUser({ name: 'inviter' })
  await client.projects.create({ project_id: 'elsewhere', members: [ada.handle] })
  const [invitation] = await ada.client.projectInvitations.list()
  return invitation?.id ?? ''
}

/** Returns the id of a directory of Ada. It has only a link, so no content must be sent. */
async function registerArchive(): Promise<string> {
  await ada.client.archives.register({ project_id: secret, entries: [{ path: 'link', target: 'file' }] })
  const { rows } = await storedData().pool.query<{ id: string }>(
    `SELECT a.id FROM archives a JOIN projects p ON p.id = a.project_id JOIN users u ON u.id = p.owner_id
      WHERE u.handle = $1`,
    [ada.handle],
  )
  if (!rows[0]) throw new Error('The directory was not registered.')
  return rows[0].id
}

/** Returns the id of a snapshot of Ada. */
async function pushSnapshot(projectId: string): Promise<string> {
  const entries = [{ path: 'link', target: secret }]
  const { archive } = await ada.client.archives.register({ project_id: secret, entries })
  const { id } = await ada.client.snapshots.create(projectId, { name: 'code', archive })
  return id
}

/** Returns the ids of a target of Ada, and of a message to it. */
async function addTarget() {
  const { id } = await ada.client.notifications.createTarget({
    kind: 'webhook',
    name: secret,
    url: `https://gpuq.invalid/${secret}`,
    events: ['job.failed'],
  })
  const delivery = await ada.client.notifications.test(id)
  return { 'notifications/targets': id, 'notifications/deliveries': delivery.id }
}

/** Returns the id of a group of Ada. */
async function submitGroup(): Promise<string> {
  const config = configText({ name: secret, project_id: secret, array: '0-1' })
  return (await ada.client.groups.submit({ code: 'print(1)', config })).group_id
}

/** Returns the id of a competition that only Ada sees, because its data are missing. */
async function createCompetition(): Promise<string> {
  await adminClient().users.update(ada.handle, { may_host_competitions: true })
  const id = 'hidden-competition'
  const config = `
slug: ${id}
title: ${secret}
datasets:
  truth: {path: truth, role: labels}
scorer: {program: scorer, command: python score.py, outputs: [{path: out.csv}], columns: {acc: {}}}
phases:
  - {key: any, start: 2027-01-01, end: 2099-01-01, labels: [truth], quota: {per_day: 1}, select: {rule: last}, board: {rank: acc}}
`
  await ada.client.competitions.put(id, { config })
  return id
}

/** Queries that are valid for the caller's own objects. */
const queries: Record<string, string> = {
  '/api/projects/{id}/snapshots': '?name=code',
  '/api/projects/{id}/snapshots/versions': '?name=code',
  '/api/jobs/{id}/metrics.csv': '?names=loss',
  '/api/shared/{token}/metrics.csv': '?names=loss',
  '/api/jobs/{id}/files/changes': `?since=${neverWas}`,
  '/api/snapshots/{id}/changes': `?since=${neverWas}`,
}

/** Bodies that are valid for the caller's own objects. */
const bodies: Record<string, unknown> = {
  '/api/project-invitations/{id}': { accept: true },
  '/api/projects/{id}/snapshots': { name: 'code', archive: 'a'.repeat(64) },
  '/api/snapshots/{id}': { shared: true },
  '/api/projects/{id}': { name: 'taken over', add_members: [] },
  '/api/users/{handle}': { name: 'taken over' },
  '/api/environments/{name}': { description: 'taken over' },
  '/api/buckets/{name}': { access_key_id: 'taken', secret_access_key: 'over' },
  '/api/notifications/targets/{id}': { name: 'taken over' },
  '/api/jobs/{id}': { note: 'taken over', starred: true, tags: ['taken'] },
  '/api/queue/{id}/priority': { priority: 1 },
  '/api/queue/{id}/hold': { held: true },
  '/api/nodes/{id}': { paused: true },
  '/api/gpus/{id}': { paused: true },
  '/api/views/{id}': { name: 'taken over' },
  '/api/slurm/nodes/{name}': { drained: true, reason: 'taken over' },
  '/api/slurm/targets/{id}': { partition: 'taken' },
}

/** The owner of the object that a route's parameter names. A route that is missing here fails the test. */
function ownerOf(route: string): keyof typeof adas | 'nobody' | undefined {
  if (/^\/api\/(status|results|cancel|jobs|queue|experiments|approvals)\/\{id\}/.test(route)) return 'jobs'
  if (
    /^\/api\/(buckets|environments|nodes|gpus|limits\/roles|shared|shared-results|join|entries|rescores|slurm\/nodes|slurm\/targets)\/\{/.test(
      route,
    )
  )
    return 'nobody'
  const kinds = [
    'tokens',
    'projects',
    'project-invitations',
    'users',
    'sessions',
    'archives',
    'snapshots',
    'notifications/targets',
    'notifications/deliveries',
    'views',
    'groups',
    'result-shares',
    'competitions',
  ] as const
  return kinds.find((kind) => route.startsWith(`/api/${kind}/{`))
}

/** The paths of the API with an id. */
const routesWithIds = [...new Set(allOperations.map(({ path }) => path))].filter((path) =>
  /^\/api\/.*\{/.test(path),
)

function requestOf(route: string, method: string): Call {
  const body = bodies[route] ?? {}
  const sends = !['GET', 'HEAD'].includes(method)
  return {
    method,
    headers: { ...bearer(bob.token), ...(sends ? { 'content-type': 'application/json' } : {}) },
    ...(sends ? { body: JSON.stringify(body) } : {}),
  }
}

const withId = (route: string, id: string) =>
  route.replace(/\{\w+\}/, id).replaceAll(/\{\w+\}/g, 'any') + (queries[route] ?? '')

/** Routes that create what does not exist: their database tests try what belongs to others. */
const creating = new Set(['PUT /api/competitions/{id}'])

/** Routes that also serve requests without a login. */
const open = new Set(allOperations.filter(({ access }) => access === 'anyone').map(({ path }) => path))

/** Routes that are for admins only, whatever the id: there is nothing to hide. */
const forAdmins = new Set([
  'PATCH /api/users/{handle}',
  'PATCH /api/environments/{name}',
  'PATCH /api/buckets/{name}',
  'DELETE /api/buckets/{name}',
  'PATCH /api/slurm/nodes/{name}',
  'PUT /api/slurm/targets/{id}',
  'DELETE /api/slurm/targets/{id}',
  'PATCH /api/nodes/{id}',
  'DELETE /api/nodes/{id}',
  'POST /api/nodes/{id}/checks',
  'PATCH /api/gpus/{id}',
  'DELETE /api/gpus/{id}',
  'PATCH /api/limits/roles/{role}',
  'PATCH /api/snapshots/{id}',
])

it("another user's objects cannot be distinguished from objects that do not exist", async () => {
  expect(routesWithIds.length).toBeGreaterThan(7)
  for (const route of routesWithIds) {
    const kind = ownerOf(route)
    expect(kind, `${route} is a new route: declare the owner of its id here`).toBeDefined()
    for (const method of methods) {
      if (creating.has(`${method} ${route}`)) continue
      const request = requestOf(route, method)
      const known = kind === 'nobody' ? 'python' : adas[kind as keyof typeof adas]
      const theirs = await call(withId(route, known), request)
      if (theirs.status === 405) continue
      if (forAdmins.has(`${method} ${route}`)) {
        expectProblem(theirs, 403, /admin/)
        continue
      }
      expect(theirs.status, `${method} ${route}`).toBe(404)
      const none = await call(withId(route, kind === 'users' ? 'nobody' : neverWas), request)
      expect([none.status, none.text], `${method} ${route}`).toEqual([theirs.status, theirs.text])
    }
  }
})

it('no object was changed', async () => {
  const job = await ada.client.jobs.get(adas.jobs)
  expect(job).toMatchObject({ status: 'completed', name: secret, note: null, starred: false, tags: [] })
  expect(await ada.client.users.me()).toMatchObject({ name: null })
  // A host also sees the project of the competition.
  const projects = (await ada.client.projects.list()).items.filter(({ owner }) => owner === ada.handle)
  expect(projects).toMatchObject([{ name: null, members: [] }])
  expect((await ada.client.snapshots.list(adas.projects)).items).toMatchObject([
    { id: adas.snapshots, version: 1, shared_at: null },
  ])
  expect(await ada.client.notifications.get()).toMatchObject({ targets: [{ name: secret }] })
  expect(await ada.client.views.list()).toMatchObject([{ name: secret }])
  expect(await ada.client.results.shares()).toMatchObject([{ id: adas['result-shares'], jobs: 1 }])
  const environments = await ada.client.environments.list()
  expect(environments.map(({ description }) => description)).not.toContain('taken over')
})

it('malformed ids are not found either', async () => {
  const odd = [
    '0',
    '-1',
    'null',
    'undefined',
    '%2e%2e',
    '..%2f',
    "1'--",
    `${neverWas}0`,
    'x'.repeat(500),
    '%00',
    '%0a',
  ]
  for (const route of routesWithIds) {
    if (ownerOf(route) === 'nobody') continue
    for (const id of odd) {
      const answer = await call(withId(route, id), { headers: bearer(bob.token) })
      // Dots form another path, which this client resolves or the server refuses.
      expect([308, 400, 404, 405], `${route} ${id}`).toContain(answer.status)
    }
  }
})

it("another user's user_id is rejected with the documented message", async () => {
  const named = `user_id=${ada.handle}`
  const refused: [path: string, method?: string][] = [
    [`/api/status/${adas.jobs}?${named}`],
    [`/api/results/${adas.jobs}?${named}`],
    [`/api/results/${adas.jobs}?${named}&format=jsonl`],
    [`/api/cancel/${adas.jobs}?${named}`, 'POST'],
    [`/api/jobs?${named}`],
  ]
  for (const [path, method = 'GET'] of refused) {
    const answer = await call(path, { method, headers: bearer(bob.token) })
    expectProblem(answer, 403, /^Token does not belong to specified user_id$/)
  }
  expect((await call(`/api/jobs?user_id=${bob.handle}`, { headers: bearer(bob.token) })).text).toBe('[]')
})

it('admin routes reject all other users', async () => {
  const admins: [path: string, call?: Call][] = [
    ['/api/users'],
    ['/api/users', { method: 'POST', body: JSON.stringify({ user_id: 'x' }) }],
    ['/api/user-imports', { method: 'POST', body: JSON.stringify({ csv: 'user_id' }) }],
    ['/api/invitation-mails'],
    ['/api/audit'],
    ['/api/jobs?all=true'],
    ['/api/tokens?all=true'],
    [`/api/tokens?user_id=${ada.handle}`],
    ['/api/tokens', { method: 'POST', body: JSON.stringify({ user_id: ada.handle, name: 'x' }) }],
    ['/api/tokens', { method: 'POST', body: JSON.stringify({ name: 'x', scopes: ['admin'] }) }],
    ['/api/projects?all=true'],
    ['/api/projects', { method: 'POST', body: JSON.stringify({ project_id: 'x', owner: ada.handle }) }],
    ['/api/environments', { method: 'POST', body: JSON.stringify({ name: 'x', image: 'y' }) }],
    ['/api/buckets'],
    ['/api/slurm/targets'],
    ['/orchestrator/start', { method: 'POST' }],
    ['/orchestrator/stop', { method: 'POST' }],
    ['/orchestrator/policy', { method: 'PUT', body: JSON.stringify({ backfill: false }) }],
    ['/api/models', { method: 'PUT', body: JSON.stringify({ default_requirement: 1, models: {} }) }],
    ['/queue/submit', { method: 'POST', body: JSON.stringify({ command: 'true', user: ada.handle }) }],
  ]
  const { token: withoutScope } = await createUser({ name: 'carol', role: 'admin' })
  for (const [path, request] of admins) {
    for (const token of [bob.token, withoutScope]) {
      const headers = { ...bearer(token), 'content-type': 'application/json' }
      expectProblem(await call(path, { ...request, headers }), 403)
    }
    expectProblem(await call(path, { ...request, headers: { 'content-type': 'application/json' } }), 401)
  }
  // Prometheus needs no token that can change something.
  const metrics = (token: string) => call('/metrics', { headers: bearer(token) })
  expectProblem(await metrics(bob.token), 403)
  expectProblem(await call('/metrics'), 401)
  expect((await metrics(withoutScope)).status).toBe(200)
})

it('requests without a login reach only the sign-in page', async () => {
  for (const route of routesWithIds) {
    const kind = ownerOf(route)
    const id = kind === 'nobody' ? 'python' : adas[kind as keyof typeof adas]
    // The token in its path is the credential, and an address may try few.
    const isLink = /^\/api\/(shared\/|shared-results\/|join\/.*\/account$)/.test(route)
    const refusals = isLink ? [404, 429] : open.has(route) ? [401, 404] : [401]
    for (const method of methods) {
      const answer = await call(withId(route, id), { method })
      expect([...refusals, 405], `${method} ${route}`).toContain(answer.status)
      expect(answer.text).not.toContain(secret)
    }
  }
})

it("a page about another user's job contains no data of it, in every kind of request", async () => {
  const cookie = await sessionCookie(bob)
  const shapes: Record<string, string>[] = [
    {},
    { rsc: '1' },
    { rsc: '1', 'next-router-prefetch': '1' },
    { 'x-nextjs-data': '1' },
    { 'next-router-state-tree': '%5B%22%22%5D', rsc: '1' },
  ]
  for (const headers of shapes) {
    for (const path of [
      '/jobs',
      `/jobs/${adas.jobs}`,
      `/submit?from=${adas.jobs}`,
      '/projects',
      `/projects/${adas.projects}`,
      `/projects/${adas.projects}/leaderboard`,
      `/projects/${adas.projects}/snapshots`,
      `/projects/${adas.projects}/snapshots/code`,
      '/accounting?by=project',
    ]) {
      const answer = await call(path, { headers: { cookie, ...headers } })
      expect(answer.status, path).toBeLessThan(500)
      expect(answer.text, path).not.toContain(secret)
    }
  }
  for (const path of [
    '/admin/jobs',
    '/admin/users',
    '/admin/tokens',
    '/admin/audit',
    '/admin/projects',
    '/admin/environments',
    '/admin/buckets',
  ]) {
    expect((await call(path, { headers: { cookie } })).status, path).toBe(404)
  }
})

it("another user's waiting job cannot be cancelled or reprioritized", async () => {
  const id = await submit(ada, 'print(1)', waitingConfig)
  expectProblem(await call(`/api/cancel/${id}`, { method: 'POST', headers: bearer(bob.token) }), 404)
  expect(await ada.client.jobs.get(id)).toMatchObject({ status: 'pending', cancel_requested: false })
  await ada.client.jobs.cancel(id)
})
