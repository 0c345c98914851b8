import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createProject } from '../access/projects/projects'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { takeSlot } from '../async/concurrency-limit'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { artifactKey } from '../results/name'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import { parts } from '../storage/testing/contract'
import type { CreatedResultShare, ResultShare, Results, SharedResults } from './contract'
import { resultRoutes } from './routes'

const db = testDatabase()
/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let root: string
let [owner, member, bob, admin] = [] as unknown as [Person, Person, Person, Person]
let project = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-results-'))
  setStorage(diskStore(root))
  ;[bob, admin] = await Promise.all([makePerson(), makePerson('admin')])
})
afterAll(() => rm(root, { recursive: true }))
beforeEach(async () => {
  ;[owner, member] = await Promise.all([makePerson(), makePerson()])
  project = (await createProject(owner.actor, { project_id: 'vision', members: [] })).id
  await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [project, member.id])
})

interface JobGiven {
  name?: string
  tags?: string[]
  spec?: Record<string, unknown>
  metrics?: Record<string, number>
  pictures?: Record<string, Buffer>
}

/** An ended job in the project. */
async function jobOf({ id: userId }: Person, given: JobGiven = {}): Promise<string> {
  const { name = 'run', tags = [], spec = {}, metrics = {}, pictures = {} } = given
  const id = await makeJob({ userId, ownerId: owner.id, project: 'vision', spec })
  await db.pool.query(
    `UPDATE jobs SET name = $2, tags = $3, final_metrics = $4, result_stored = true, attempt = 1, status = 'completed',
            reason = 'finished', exit_code = 0, started_at = now() - interval '90 seconds', ended_at = now() WHERE id = $1`,
    [id, name, tags, JSON.stringify(metrics)],
  )
  for (const [path, content] of Object.entries(pictures)) {
    const artifact = uuidv7()
    const stored = await diskStore(root).write(
      artifactKey({ jobId: id, attempt: 1, rank: 0 }, artifact),
      parts(content),
    )
    await db.pool.query(
      'INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 1, 0, $3, $4, $5)',
      [artifact, id, path, stored.bytes, stored.sha256],
    )
  }
  return id
}

const get = ({ cookie }: Person, query = '') =>
  call(resultRoutes.list, `/api/projects/x/results${query}`, { cookie, params: { id: project } })
async function read(who: Person, query = ''): Promise<Results> {
  const { status, body } = await get(who, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Results
}
const namesOf = ({ rows }: Results) => rows.map(({ name }) => name)

describe('the results of a project', () => {
  it('have of each viewer only the jobs that they may see', async () => {
    await jobOf(owner, { name: 'of the owner' })
    await jobOf(member, { name: 'of the member', metrics: { hidden_metric: 1 }, tags: ['hidden=1'] })
    expect(namesOf(await read(member))).toEqual(['of the member'])
    const { rows, metric_names, group_keys } = await read(owner)
    expect(rows.map(({ name }) => name)).toEqual(['of the owner'])
    expect(metric_names).toEqual([])
    expect(group_keys).toEqual([])
    expect(namesOf(await read(admin))).toEqual(['of the member', 'of the owner'])
    expect((await get(bob)).status).toBe(404)
  })

  it('have the jobs of members for a manager', async () => {
    await jobOf(member, { name: 'of the member' })
    await db.pool.query("INSERT INTO memberships (project_id, user_id, role) VALUES ($1, $2, 'manager')", [
      project,
      bob.id,
    ])
    expect(namesOf(await read(bob))).toEqual(['of the member'])
  })

  it('have no job of another project of the same name', async () => {
    await makeJob({ userId: owner.id, project: 'other' })
    await makeJob({ userId: member.id, project: 'vision' })
    expect(namesOf(await read(owner))).toEqual([])
    expect(namesOf(await read(member))).toEqual([])
  })

  it('have the metrics that most jobs printed, or the chosen ones, and counters last', async () => {
    await jobOf(owner, { metrics: { loss: 0.5, step: 10, rare: 1, a: 1, b: 1 } })
    await jobOf(owner, { metrics: { loss: 0.25, step: 20, a: 2, b: 2 } })
    const results = await read(owner)
    expect(results.metric_names).toEqual(['a', 'b', 'loss', 'rare', 'step'])
    expect(results.metrics).toEqual(['a', 'b', 'loss', 'rare'])
    expect(results.rows.map(({ metrics }) => metrics.loss)).toEqual([0.25, 0.5])
    const chosen = await read(owner, '?metrics=step,constructor')
    expect(chosen.rows.map(({ metrics }) => metrics)).toEqual([{ step: 20 }, { step: 10 }])
  })

  it('are grouped by a tag or a value of the config, and list what differs', async () => {
    await jobOf(owner, { tags: ['lr=0.1', 'baseline'], spec: { gpu_count: 1, args: ['--seed', '1'] } })
    await jobOf(owner, { tags: ['lr=0.2'], spec: { gpu_count: 1, args: ['--seed', '2'] } })
    const groups = async (by: string) => (await read(owner, `?group_by=${by}`)).rows.map(({ group }) => group)
    expect(await groups('tag.lr')).toEqual(['0.2', '0.1'])
    expect(await groups('tags')).toEqual([null, 'baseline'])
    expect(await groups('config.args.seed')).toEqual(['2', '1'])
    expect((await read(owner)).group_keys).toEqual(
      expect.arrayContaining(['tag.lr', 'tags', 'config.args.seed']),
    )
    expect((await read(owner)).group_keys).not.toContain('config.gpu_count')
    expect((await get(owner, '?group_by=name')).status).toBe(422)
  })

  it('are not one group if long values differ only at their end', async () => {
    for (const seed of ['1', '2', '2'])
      await jobOf(owner, { spec: { args: ['x'.repeat(400), '--seed', seed] } })
    const groups = (await read(owner, '?group_by=config.args')).rows.map(({ group }) => group ?? '')
    expect(groups[0]).toBe(groups[1])
    expect(groups[2]).not.toBe(groups[1])
    expect(Math.max(...groups.map(({ length }) => length))).toBeLessThanOrEqual(200)
  })

  it('have the values of variables for the owner of the job only', async () => {
    const env = { LR: 'of-member' }
    await jobOf(member, { spec: { env, notify_url: 'https://hush.example' } })
    await jobOf(member, { spec: { env: { LR: 'other' } } })
    const query = '?group_by=config.env.LR'
    expect((await read(member, query)).rows.map(({ group }) => group)).toEqual(['other', 'of-member'])
    await db.pool.query("INSERT INTO memberships (project_id, user_id, role) VALUES ($1, $2, 'manager')", [
      project,
      bob.id,
    ])
    const seen = await read(bob, query)
    expect(seen.rows.map(({ group }) => group)).toEqual([null, null])
    expect(JSON.stringify(seen)).not.toMatch(/of-member|hush|env|notify/)
  })

  it('have the first pictures of /results if they are asked for', async () => {
    const pictures = { 'b.png': png, 'a.JPG': png, 'c.png': png, 'd.png': png, 'notes.txt': png }
    await jobOf(owner, { pictures })
    expect((await read(owner)).rows[0]?.pictures).toEqual([])
    const { rows } = await read(owner, '?pictures=true')
    expect(rows[0]?.pictures.map(({ path }) => path).sort()).toEqual(['a.JPG', 'b.png', 'c.png'])
  })

  it('are found by a search', async () => {
    await jobOf(owner, { name: 'good', metrics: { loss: 0.1 } })
    await jobOf(owner, { name: 'bad', metrics: { loss: 0.9 } })
    expect(namesOf(await read(owner, `?q=${encodeURIComponent('metric.loss<0.2')}`))).toEqual(['good'])
    expect((await get(owner, '?q=metric.loss')).status).toBe(422)
  })

  it('are read at most 8 times at once for one user', async () => {
    await jobOf(owner)
    const taken = Array.from({ length: 8 }, () => takeSlot(`results of ${owner.id}`, 8))
    expect(await get(owner)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect((await get(member)).status).toBe(200)
    taken[0]?.()
    for (let nth = 0; nth < 3; nth++) expect((await get(owner)).status).toBe(200)
    expect((await get(owner, '?q=metric.loss')).status).toBe(422)
    expect((await get(owner)).status).toBe(200)
    for (const release of taken) release?.()
  })

  it('are the newest 300 jobs, and say that there are more', async () => {
    const job = await jobOf(owner, { name: 'oldest' })
    await db.pool.query(
      `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, program_hash, expected_time_s, time_limit_s, created_at)
       SELECT gen_random_uuid(), user_id, project_id, environment_id, competition_id, spec, program_hash, 60, 60, now() + n * interval '1 second'
         FROM jobs, generate_series(1, 300) n WHERE id = $1`,
      [job],
    )
    const { rows, more } = await read(owner)
    expect(rows).toHaveLength(300)
    expect(more).toBe(true)
    expect(namesOf({ rows } as Results)).not.toContain('oldest')
  })
})

const share = (body: unknown, { cookie }: Person = owner, id = project) =>
  call(resultRoutes.share, '/api/projects/x/results/shares', { method: 'POST', body, cookie, params: { id } })
async function created(body: object, who = owner): Promise<CreatedResultShare> {
  const answer = await share(body, who)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as CreatedResultShare
}
const list = async ({ cookie }: Person) =>
  (await call(resultRoutes.shares, '/api/result-shares', { cookie })).body as ResultShare[]
const revoke = (id: string, { cookie }: Person) =>
  call(resultRoutes.revokeShare, `/api/result-shares/${id}`, { method: 'DELETE', cookie, params: { id } })
const tokenOf = ({ url }: CreatedResultShare) => url.split('/').at(-1) ?? ''

let addresses = 0
const someAddress = () => ({ 'x-forwarded-for': `198.51.100.${addresses++ % 250}` })
/** As somebody without an account. */
const open = (token: string, headers: Record<string, string> = someAddress()) =>
  call(resultRoutes.shared, `/api/shared-results/${token}`, { headers, params: { token } })
async function opened(link: CreatedResultShare): Promise<SharedResults> {
  const { status, body } = await open(tokenOf(link))
  expect(status, JSON.stringify(body)).toBe(200)
  return body as SharedResults
}
const expectClosed = async (link: CreatedResultShare) => expect((await open(tokenOf(link))).status).toBe(404)
const picture = (token: string, job: string, number: string, headers = someAddress()) =>
  resultRoutes.sharedPicture(new Request('http://localhost:8001/', { headers }), {
    params: Promise.resolve({ token, job, picture: number }),
  })

const secretJob = {
  name: 'secret name',
  tags: ['lr=0.1', 'secret-tag'],
  spec: { env: { KEY: 'secret-value' }, args: ['--secret-option', '1'] },
  metrics: { loss: 0.5, secret_metric: 7 },
  pictures: { 'secret.png': png },
}

describe('a read-only link to results', () => {
  it('shows only the chosen columns of the chosen jobs, and only its hash is stored', async () => {
    const [first, other, second] = [
      await jobOf(owner, secretJob),
      await jobOf(owner, { name: 'not chosen', metrics: { loss: 0.9 } }),
      await jobOf(owner, { metrics: { loss: 0.25 }, tags: ['lr=0.2'] }),
    ]
    const link = await created({ job_ids: [second, first], metrics: ['loss'], group_by: 'tag.lr' })
    expect(link.url).toMatch(/^http:\/\/localhost:8001\/shared\/results\/[\w-]{43}$/)
    expect(await opened(link)).toEqual({
      title: null,
      columns: [],
      metrics: ['loss'],
      group_by: 'tag.lr',
      rows: [
        { number: 1, metrics: { loss: 0.25 }, group: '0.2' },
        { number: 2, metrics: { loss: 0.5 }, group: '0.1' },
      ],
      expires_at: link.expires_at,
    })
    const { headers, body } = await open(tokenOf(link))
    expect(headers.get('cache-control')).toBe('no-store')
    for (const hidden of ['secret', 'not chosen', 'vision', owner.handle, first, second, other, link.id])
      expect(JSON.stringify(body)).not.toContain(hidden)
    const { rows } = await db.pool.query('SELECT * FROM result_shares WHERE id = $1', [link.id])
    expect(JSON.stringify(rows)).not.toContain(tokenOf(link))
  })

  it('shows each column that was chosen', async () => {
    const job = await jobOf(owner, secretJob)
    const columns = ['name', 'status', 'tags', 'submitted', 'run_time', 'pictures']
    const link = await created({ job_ids: [job], columns, title: 'Ablation' })
    expect(await opened(link)).toMatchObject({
      title: 'Ablation',
      rows: [
        {
          number: 1,
          name: 'secret name',
          status: 'completed',
          tags: ['lr=0.1', 'secret-tag'],
          created_at: expect.any(String),
          run_seconds: 90,
          pictures: [{ number: 1, path: 'secret.png' }],
        },
      ],
    })
    expect(JSON.stringify(await opened(link))).not.toMatch(/loss|secret_metric|secret-value|secret-option/)
  })

  it('cannot have jobs of other people, also for a manager, an admin, or from another project', async () => {
    const [own, others] = [await jobOf(owner), await jobOf(member)]
    const elsewhere = await makeJob({ userId: owner.id, project: 'other' })
    const columns = ['name']
    for (const wrong of [others, elsewhere, uuidv7()])
      expect(await share({ job_ids: [own, wrong], columns })).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'job_ids', message: expect.stringMatching(/of yours/) }] },
      })
    expect((await share({ job_ids: [own], columns }, admin)).status).toBe(422)
    expect((await share({ job_ids: [own], columns }, bob)).status).toBe(404)
    expect((await share({ job_ids: [own], columns }, { cookie: '' } as Person)).status).toBe(401)
  })

  it('does not show a job that is another one’s by now, or was deleted', async () => {
    const [kept, deleted, moved] = [
      await jobOf(owner, { name: 'kept' }),
      await jobOf(owner, { name: 'deleted', pictures: { 'a.png': png } }),
      await jobOf(owner, { name: 'moved', pictures: { 'a.png': png } }),
    ]
    const link = await created({ job_ids: [deleted, kept, moved], columns: ['name', 'pictures'] })
    await db.pool.query('DELETE FROM jobs WHERE id = $1', [deleted])
    await db.pool.query('UPDATE jobs SET user_id = $2 WHERE id = $1', [moved, member.id])
    expect((await opened(link)).rows).toEqual([{ number: 2, name: 'kept', pictures: [] }])
    for (const job of ['1', '3']) expect((await picture(tokenOf(link), job, '1')).status).toBe(404)
    expect(await list(owner)).toMatchObject([{ jobs: 1 }])
  })

  it('shows pictures only if that column was chosen, and as images only', async () => {
    const html = Buffer.from('<script>alert(1)</script>')
    const job = await jobOf(owner, { pictures: { 'a.png': png, 'b.png': html } })
    const [without, link] = [
      await created({ job_ids: [job], columns: ['name'] }),
      await created({ job_ids: [job], columns: ['pictures'] }),
    ]
    expect((await picture(tokenOf(without), '1', '1')).status).toBe(404)
    const answer = await picture(tokenOf(link), '1', '1')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('content-security-policy')).toBe('sandbox')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png)
    expect((await picture(tokenOf(link), '1', '2')).status).toBe(409)
    for (const [of, number] of [
      ['1', '3'],
      ['2', '1'],
      ['0', '1'],
      ['1', '0'],
      ['x', 'y'],
    ] as const)
      expect((await picture(tokenOf(link), of, number)).status).toBe(404)
    expect((await picture('wrong', '1', '1')).status).toBe(404)
    await revoke(link.id, owner)
    expect((await picture(tokenOf(link), '1', '1')).status).toBe(404)
  })

  it('cannot show the values of variables', async () => {
    const job = await jobOf(owner, secretJob)
    expect(await share({ job_ids: [job], group_by: 'config.env.KEY' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'group_by', message: expect.stringMatching(/secret/) }] },
    })
    const link = await created({ job_ids: [job], group_by: 'config.env' })
    await db.pool.query("UPDATE result_shares SET group_by = 'config.env.KEY' WHERE id = $1", [link.id])
    expect((await opened(link)).rows).toEqual([{ number: 1, group: null }])
  })

  it('ends when it expires, is revoked, or its creator is disabled', async () => {
    const job_ids = [await jobOf(owner)]
    const body = { job_ids, columns: ['name'] }
    const [expired, revoked, disabled] = [await created(body), await created(body), await created(body)]
    await db.pool.query("UPDATE result_shares SET expires_at = now() - interval '1 second' WHERE id = $1", [
      expired.id,
    ])
    await expectClosed(expired)
    expect((await revoke(revoked.id, owner)).status).toBe(204)
    await expectClosed(revoked)
    expect((await revoke(revoked.id, owner)).status).toBe(404)
    expect((await list(owner)).map(({ id }) => id)).toEqual([disabled.id])
    await opened(disabled)
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [owner.id])
    await expectClosed(disabled)
  })

  it('ends for good when its creator leaves the project, also if they join again', async () => {
    const link = await created({ job_ids: [await jobOf(member)], columns: ['name'] }, member)
    await opened(link)
    await db.pool.query('DELETE FROM memberships WHERE user_id = $1', [member.id])
    await expectClosed(link)
    await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [project, member.id])
    await expectClosed(link)
    expect(await list(member)).toEqual([])
  })

  it('a read-only link to results of an admin who is no member works only as long as they are an admin', async () => {
    const demoted = await makePerson('admin')
    const link = await created({ job_ids: [await jobOf(demoted)], columns: ['name'] }, demoted)
    await opened(link)
    await db.pool.query("UPDATE users SET role = 'researcher' WHERE id = $1", [demoted.id])
    await expectClosed(link)
    await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [
      project,
      demoted.id,
    ])
    await expectClosed(link)
  })

  it('is listed and revoked by its creator only, and not by the owner of the project', async () => {
    const link = await created({ job_ids: [await jobOf(member)], columns: ['name'] }, member)
    const { url: _, ...listed } = link
    expect(await list(member)).toEqual([listed])
    for (const other of [owner, bob, admin]) {
      expect(await list(other)).toEqual([])
      expect((await revoke(link.id, other)).status).toBe(404)
    }
    expect((await revoke('no-id', member)).status).toBe(404)
    await opened(link)
  })

  it('is not made by a token without the right to submit', async () => {
    const job = await jobOf(owner)
    const { token } = await makeToken(owner, ['read'])
    const answer = await call(resultRoutes.share, '/api/projects/x/results/shares', {
      method: 'POST',
      body: { job_ids: [job], columns: ['name'] },
      token,
      params: { id: project },
    })
    expect(answer.status).toBe(403)
  })

  it.each([
    ['no job', { job_ids: [] }],
    ['no column', { columns: [] }],
    ['an unknown column', { columns: ['user'] }],
    ['an unknown key', { token: 'mine' }],
    ['more than 90 days', { expires_in_days: 91 }],
    ['101 jobs', { job_ids: Array.from({ length: 101 }, () => uuidv7()) }],
  ])('is refused with %s', async (_, change) => {
    const body = { job_ids: [await jobOf(owner)], columns: ['name'], ...change }
    expect((await share(body)).status).toBe(422)
  })

  it('is refused after 50 others, also at the same moment', async () => {
    const body = { job_ids: [await jobOf(owner)], columns: ['name'] }
    const all = await Promise.all(Array.from({ length: 52 }, () => share(body)))
    const statuses = all.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array.from({ length: 50 }, () => 201), 409, 409])
  })

  it('is limited for each address', async () => {
    const link = await created({ job_ids: [await jobOf(owner)], columns: ['name'] })
    const statuses = []
    for (let at = 0; at < 61; at++)
      statuses.push((await open(tokenOf(link), { 'x-forwarded-for': '192.0.2.77' })).status)
    expect(statuses.slice(0, 60)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
  })

  it('is limited for each address: pictures at the same time', async () => {
    const job = await jobOf(owner, { pictures: { 'a.png': png } })
    const token = tokenOf(await created({ job_ids: [job], columns: ['pictures'] }))
    const get = () => picture(token, '1', '1', { 'x-forwarded-for': '192.0.2.78' })
    const open: Response[] = []
    for (let nth = 0; nth < 128; nth++) open.push(await get())
    expect([...new Set(open.map(({ status }) => status))]).toEqual([200])
    expect((await get()).status).toBe(429)
    for (const { body } of open) await body?.cancel()
    // A refusal keeps no place.
    for (let nth = 0; nth < 130; nth++) await picture(token, '1', '2', { 'x-forwarded-for': '192.0.2.78' })
    const again = await get()
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  it('is in the audit log, without its token', async () => {
    const job = await jobOf(owner)
    const link = await created({ job_ids: [job], columns: ['name'] })
    await revoke(link.id, owner)
    const { rows } = await db.pool.query(
      "SELECT action, target, detail FROM audit_events WHERE actor_id = $1 AND action LIKE '%share%' ORDER BY at, id",
      [owner.id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['results_shared', 'result_share_revoked'])
    expect(rows[0]).toMatchObject({
      target: `${owner.handle}/vision`,
      detail: { share: link.id, jobs: [job] },
    })
    expect(JSON.stringify(rows)).not.toContain(tokenOf(link))
  })
})
