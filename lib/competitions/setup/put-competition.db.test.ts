import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { uploadFiles } from '../../archives/testing/upload-files'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { pushSnapshot } from '../../snapshots/push-snapshot'
import { diskStore } from '../../storage/disk'
import { setStorage } from '../../storage/storage'
import { putCompetitionAnswerSchema } from '../contract'
import { callMembers } from '../members/testing/call-members'
import { makeCompetition } from '../testing/competition'
import { type CompetitionKeys, competitionKeys, openPhase } from '../testing/competition-keys'
import { setupRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let [host, other, admin] = [] as unknown as [Person, Person, Person]

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-competitions-'))
  setStorage(diskStore(root))
  // Creates the environment.
  await makeJob()
})
beforeEach(async () => {
  ;[host, other, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  await db.pool.query('UPDATE users SET may_host_competitions = true WHERE id = ANY ($1::uuid[])', [
    [host.id, other.id],
  ])
})
afterAll(() => rm(root, { recursive: true }))

interface Given {
  who?: Person
  pages?: Record<string, string>
  directories?: Record<string, string>
  query?: string
  slug?: string
}

async function send(
  keys: CompetitionKeys,
  { who = host, pages, directories, query = '', slug = keys.slug }: Given = {},
) {
  const { status, body } = await call(setupRoutes.put, `/api/competitions/${slug}${query}`, {
    method: 'PUT',
    cookie: who.cookie,
    params: { id: slug },
    body: { config: stringify(keys), pages, directories },
  })
  return { status, body }
}

async function put(keys: CompetitionKeys, given: Given = {}) {
  const { status, body } = await send(keys, given)
  expect(body).toMatchObject({ competition_id: keys.slug })
  expect(status).toBe(200)
  return putCompetitionAnswerSchema.parse(body)
}

/** Pushes a directory to the project of a competition. */
async function push(slug: string, name: string, text = name, who = host): Promise<string> {
  const { projectId, hash } = await uploadFiles(who, slug, { 'a.txt': text })
  const { version } = await pushSnapshot(who.actor, projectId, { name, archive: hash })
  return `${name}@${version}`
}

async function pushAll(slug: string): Promise<Record<string, string>> {
  const directories: Record<string, string> = {}
  for (const name of ['train', 'sample', 'test', 'truth', 'scorer'])
    directories[name] = await push(slug, name)
  return directories
}

/** Everything that is stored about a competition. */
async function stored(slug: string) {
  const { rows } = await db.pool.query(
    `SELECT to_jsonb(c) AS competition,
            (SELECT jsonb_agg(to_jsonb(p) ORDER BY p.id) FROM competition_phases p WHERE p.competition_id = c.id) AS phases,
            (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.id) FROM competition_datasets d WHERE d.competition_id = c.id) AS datasets,
            (SELECT jsonb_agg(to_jsonb(s) ORDER BY s.id) FROM competition_scorers s WHERE s.competition_id = c.id) AS scorers,
            (SELECT jsonb_agg(to_jsonb(m) ORDER BY m.user_id) FROM competition_members m WHERE m.competition_id = c.id) AS members,
            (SELECT jsonb_agg(to_jsonb(m) ORDER BY m.user_id) FROM memberships m WHERE m.project_id = c.project_id) AS managers,
            (SELECT count(*)::int FROM audit_events a WHERE a.target = c.slug) AS events
       FROM competitions c WHERE c.slug = $1`,
    [slug],
  )
  return rows[0]
}

describe('PUT /api/competitions/ID', () => {
  it('a new competition has a private project with its hosts as managers, and is published once it has all its directories', async () => {
    const keys = competitionKeys({ roles: { ta: [other.handle] } })
    const created = await put(keys)
    expect(created).toMatchObject({ created: true, changed: true, published: false, role: 'host' })
    expect(created.missing).toHaveLength(5)
    expect(created.project).toMatchObject({
      project_id: keys.slug,
      owner: `competition-${keys.slug}`,
    })
    const directories = await pushAll(keys.slug)
    const published = await put(keys, { directories })
    expect(published).toMatchObject({ created: false, changed: true, published: true, missing: [] })
    expect(published.scorer_version).toBe(1)
    const rows = await stored(keys.slug)
    expect(rows.managers).toMatchObject([{ user_id: host.id, role: 'manager' }])
    expect(rows.members.map(({ role }: { role: string }) => role).toSorted()).toEqual(['host', 'ta'])
    const { rows: account } = await db.pool.query(
      'SELECT password_hash, email, invitation_hash FROM users WHERE handle = $1',
      [`competition-${keys.slug}`],
    )
    expect(account).toEqual([{ password_hash: null, email: null, invitation_hash: null }])
  })

  it('the same request twice changes nothing', async () => {
    const keys = competitionKeys({ pages: ['overview.md'], roles: { instructor: [other.handle] } })
    const given = { pages: { 'overview.md': '# Hello' } }
    await put(keys, given)
    const directories = await pushAll(keys.slug)
    await put(keys, { ...given, directories })
    const before = await stored(keys.slug)
    expect(await put(keys, { ...given, directories: await pushAll(keys.slug) })).toMatchObject({
      created: false,
      changed: false,
      pages: [{ name: 'overview', title: 'Hello', text: '# Hello' }],
    })
    expect(await stored(keys.slug)).toEqual(before)
  })

  it('a dry run says what would be wrong, and changes nothing', async () => {
    const keys = competitionKeys()
    expect(await put(keys, { query: '?dry_run=true' })).toMatchObject({ created: true, changed: true })
    expect(await stored(keys.slug)).toBeUndefined()
    await put(keys)
    const before = await stored(keys.slug)
    const changed = { ...keys, title: 'Another' }
    expect(await put(changed, { query: '?dry_run=true' })).toMatchObject({ changed: true, title: 'Another' })
    expect(await stored(keys.slug)).toEqual(before)
  })

  it('a changed directory or scoring program is a new version, and a published competition stays complete', async () => {
    const keys = competitionKeys()
    await put(keys)
    await put(keys, { directories: await pushAll(keys.slug) })
    const truth = await push(keys.slug, 'truth', 'other labels')
    await put(keys, { directories: { truth } })
    const scorer = { ...keys.scorer, command: 'python other.py' }
    expect(await put({ ...keys, scorer })).toMatchObject({
      changed: true,
      scorer_version: 2,
      published: true,
    })
    const { datasets, scorers, competition } = await stored(keys.slug)
    expect(datasets.filter(({ name }: { name: string }) => name === 'truth')).toMatchObject([
      { version: 1 },
      { version: 2 },
    ])
    expect(scorers).toMatchObject([
      { spec: { command: 'python score.py' } },
      { spec: { command: 'python other.py' } },
    ])
    expect(competition.version).toBe(4)
    expect(await send(keys, { directories: { truth: 'truth@1' } })).toMatchObject({
      status: 422,
      body: {
        errors: [{ path: 'directories.truth', message: expect.stringContaining('truth@2 is in use') }],
      },
    })
    const extra = {
      ...keys,
      datasets: { ...keys.datasets, extra: { path: 'extra', role: 'public' as const } },
    }
    expect(await send(extra)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'directories', message: expect.stringContaining('"extra" has no version') }] },
    })
    expect(await put(extra, { directories: { extra: await push(keys.slug, 'extra') } })).toMatchObject({
      published: true,
    })
  })

  it('a phase that the file has no more is deleted, or kept without a place if it has entries', async () => {
    const keys = competitionKeys({
      phases: [openPhase({ key: 'one' }), openPhase({ key: 'two' }), openPhase({ key: 'three' })],
    })
    await put(keys)
    await put(keys, { directories: await pushAll(keys.slug) })
    await db.pool.query(
      `INSERT INTO entries (id, competition_id, phase_id, user_id, kind, code, source_hash, mounts, labels, spec, scorer_id, seed, body_hash)
       SELECT gen_random_uuid(), c.id, p.id, $2, 'baseline', 'print(1)', '', '{}', '{}', '{}', s.id, '', ''
         FROM competitions c JOIN competition_phases p ON p.competition_id = c.id AND p.key = 'one'
         JOIN competition_scorers s ON s.competition_id = c.id WHERE c.slug = $1`,
      [keys.slug, host.id],
    )
    const [, , three] = keys.phases
    const left = await put({ ...keys, phases: three ? [three] : [] })
    expect(left.phases.map(({ key }) => key)).toEqual(['three'])
    const places = ({ phases }: { phases: { key: string; position: number | null }[] }) =>
      Object.fromEntries(phases.map(({ key, position }) => [key, position]))
    expect(places(await stored(keys.slug))).toEqual({ one: null, three: 0 })
    await put({ ...keys, phases: [openPhase({ key: 'one' }), openPhase({ key: 'three' })] })
    expect(places(await stored(keys.slug))).toEqual({ one: 0, three: 1 })
  })

  it('times of a phase are those of clocks in the time zone, also on a day of a clock change', async () => {
    const phase = openPhase({
      start: '2027-03-28T00:00',
      end: '2027-03-29T00:00',
      board: { rank: 'acc', freeze: '2027-03-28T12:00' },
    })
    const { phases } = await put(competitionKeys({ timezone: 'Europe/Berlin', phases: [phase] }))
    expect(phases).toMatchObject([
      {
        starts_at: '2027-03-27T23:00:00.000Z',
        ends_at: '2027-03-28T22:00:00.000Z',
        freeze_at: '2027-03-28T10:00:00.000Z',
      },
    ])
  })

  it('a new phase that has ended is refused, and an old one may be changed after its end', async () => {
    const past = openPhase({ start: '2020-01-01', end: '2020-02-01' })
    const keys = competitionKeys({ phases: [past] })
    expect(await send(keys)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'phases.0.end', message: expect.stringContaining('in the past') }] },
    })
    await put({ ...keys, phases: [openPhase()] })
    expect(await put(keys)).toMatchObject({ changed: true, phases: [{ state: 'ended' }] })
  })

  it('columns are shown in the order of the file, whatever their names are', async () => {
    const keys = competitionKeys()
    const scorer = {
      ...keys.scorer,
      columns: { points: {}, acc: {}, zeal: {}, priv: { split: 'private' as const } },
    }
    const { columns } = await put({ ...keys, scorer })
    expect(columns.map(({ name }) => name)).toEqual(['points', 'acc', 'zeal', 'priv'])
    expect(await put({ ...keys, scorer })).toMatchObject({ changed: false })
  })

  it('a phase whose board is revealed cannot be open again, because its private scores would be of use', async () => {
    const keys = competitionKeys()
    const past = { ...keys, phases: [openPhase({ end: new Date(Date.now() - 1000).toISOString() })] }
    await put(keys)
    await put(past)
    await db.pool.query(
      `UPDATE competition_phases p SET revealed_at = now() FROM competitions c WHERE c.id = p.competition_id AND c.slug = $1`,
      [keys.slug],
    )
    expect(await send(keys)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'phases.0.end', message: expect.stringContaining('is revealed') }] },
    })
    expect(await put({ ...past, title: 'Another title' })).toMatchObject({ changed: true })
  })

  it.each<[string, (keys: CompetitionKeys) => CompetitionKeys, Given, string]>([
    ['another slug than the address', (keys) => keys, { slug: 'another' }, 'slug'],
    ['a page without its text', (keys) => ({ ...keys, pages: ['a.md'] }), {}, 'pages.a.md'],
    ['a text of no page', (keys) => keys, { pages: { 'b.md': '' } }, 'pages.b.md'],
    ['a directory of no dataset', (keys) => keys, { directories: { more: 'more@1' } }, 'directories.more'],
    [
      'a snapshot that does not exist',
      (keys) => keys,
      { directories: { train: 'train@9' } },
      'directories.train',
    ],
    ['a snapshot of another name', (keys) => keys, { directories: { train: 'test@1' } }, 'directories.train'],
    [
      'a page with the character NUL',
      (keys) => ({ ...keys, pages: ['a.md'] }),
      { pages: { 'a.md': 'a\0b' } },
      'pages.a.md',
    ],
    [
      'a page with half a character',
      (keys) => ({ ...keys, pages: ['a.md'] }),
      { pages: { 'a.md': 'a\ud800b' } },
      'pages.a.md',
    ],
    ['an unknown user', (keys) => ({ ...keys, roles: { ta: ['nobody-here'] } }), {}, 'roles.ta.0'],
    [
      'an unknown environment',
      (keys) => ({ ...keys, phases: [openPhase({ run: { environment: 'none-such' } })] }),
      {},
      'phases.0.run.environment',
    ],
    [
      'an unknown environment of the scoring program',
      (keys) => ({ ...keys, scorer: { ...keys.scorer, environment: 'none-such' } }),
      {},
      'scorer.environment',
    ],
  ])('a file with %s is refused by the name of its key', async (_, change, given, path) => {
    const keys = change(competitionKeys())
    expect(await send(keys, given)).toMatchObject({ status: 422, body: { errors: [{ path }] } })
    expect(await stored(keys.slug)).toBeUndefined()
  })

  it('a phase that asks for more GPUs than any node has is refused', async () => {
    await makeNode({ gpus: 2 })
    const keys = competitionKeys({ phases: [openPhase({ run: { gpu_count: 8 } })] })
    expect(await send(keys)).toMatchObject({ status: 422, body: { errors: [{ path: 'phases.0.run' }] } })
    await put({ ...keys, phases: [openPhase({ run: { gpu_count: 2 } })] })
  })
})

describe('the right to create and change a competition', () => {
  it('users without the right to host create none, and only hosts and admins change one', async () => {
    const keys = competitionKeys({ visibility: 'members' })
    const researcher = await makePerson()
    expect(await send(keys, { who: researcher })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('the right "may host competitions"') },
    })
    await put(keys)
    expect(await send(keys, { who: researcher })).toMatchObject({ status: 404 })
    expect(await send(keys, { who: other })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('of other hosts') },
    })
    expect(await put({ ...keys, title: 'By an admin' }, { who: admin })).toMatchObject({ changed: true })
    await put({ ...keys, roles: { ta: [researcher.handle] } })
    await db.pool.query('UPDATE competitions SET published = true WHERE slug = $1', [keys.slug])
    expect(await send(keys, { who: researcher })).toMatchObject({ status: 403 })
  })

  it('a competition keeps a host, and its hosts are the managers of its project', async () => {
    const keys = competitionKeys({ roles: { host: [other.handle, host.handle] } })
    await put(keys)
    const managers = async () =>
      (await stored(keys.slug)).managers.map(({ user_id }: { user_id: string }) => user_id).toSorted()
    expect(await managers()).toEqual([host.id, other.id].toSorted())
    const without = { ...keys, roles: { host: [other.handle] } }
    expect(await send(without)).toMatchObject({ status: 422, body: { errors: [{ path: 'roles.host' }] } })
    expect(await put(without, { who: other })).toMatchObject({ changed: true })
    expect(await managers()).toEqual([other.id])
    expect(await send({ ...keys, roles: { ta: [other.handle] } }, { who: admin })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'roles.host' }] },
    })
  })

  it('a host who leaves while another host removes the other one by the file: one host stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const keys = competitionKeys({ roles: { host: [other.handle] } })
      await put(keys)
      const answers = await Promise.all([send({ ...keys, roles: {} }), callMembers('leave', host, keys.slug)])
      expect([
        [200, 409],
        [409, 204],
        [422, 204],
      ]).toContainEqual(answers.map(({ status }) => status))
      expect((await stored(keys.slug)).managers).toHaveLength(1)
    }
  })

  it('a participant with entries gets no role of the staff', async () => {
    const competition = await makeCompetition({ hosts: [host] })
    const [ada, bob] = [await makePerson(), await makePerson()]
    const team = await competition.join(ada)
    await competition.join(bob)
    await db.pool.query(
      `INSERT INTO entries (id, competition_id, phase_id, team_id, user_id, kind, code, source_hash, mounts, labels, spec, scorer_id, seed, body_hash)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, 'entry', 'x', '', '{}', '{}', '{}', $5, '', '')`,
      [competition.id, competition.phases.main, team, ada.id, competition.scorerId],
    )
    const keys = competitionKeys({ slug: competition.slug })
    expect(await send({ ...keys, roles: { ta: [ada.handle] } })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has sent entries') },
    })
    await put({ ...keys, roles: { ta: [bob.handle] } })
    const { rows } = await db.pool.query('SELECT name FROM competition_teams WHERE competition_id = $1', [
      competition.id,
    ])
    expect(rows).toEqual([{ name: ada.handle }])
  })

  it('a slug that jobs of other users carried in the last 90 days needs an admin', async () => {
    const keys = competitionKeys()
    const job = await makeJob({ userId: other.id })
    await db.pool.query('UPDATE jobs SET competition_id = $2 WHERE id = $1', [job, keys.slug])
    expect(await send(keys)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('ask an admin') },
    })
    await db.pool.query("UPDATE jobs SET created_at = now() - interval '91 days' WHERE id = $1", [job])
    expect(await put(keys, { query: '?dry_run=true' })).toMatchObject({ created: true })
    await db.pool.query('UPDATE jobs SET created_at = now() WHERE id = $1', [job])
    expect(await put(keys, { who: admin })).toMatchObject({ created: true })
  })

  it('of two hosts who create and change a competition at once, the second continues where the first ended', async () => {
    const keys = competitionKeys({ roles: { host: [host.handle, other.handle] } })
    const answers = await Promise.all([put(keys), put(keys, { who: other }), put(keys)])
    expect(answers.map(({ created }) => created).toSorted()).toEqual([false, false, true])
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1)
    const titles = Array.from({ length: 6 }, (_, index) => `Title ${index}`)
    await Promise.all(
      titles.map((title, index) => put({ ...keys, title }, { who: index % 2 === 0 ? host : other })),
    )
    const { competition } = await stored(keys.slug)
    expect(titles).toContain(competition.title)
    expect(competition.spec.title).toBe(competition.title)
    expect(competition.version).toBe(7)
  })

  it('a service account takes another user id if its own is taken', async () => {
    const keys = competitionKeys()
    await makePerson('researcher', `Competition-${keys.slug}`)
    expect((await put(keys)).project?.owner).toBe(`competition-${keys.slug}-2`)
  })
})
