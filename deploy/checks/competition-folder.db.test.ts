import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { listCompetitions, showCompetition } from '@/cli/competitions/competitions'
import { checkCompetition, createCompetition } from '@/cli/competitions/create-competition'
import { fakeContext } from '@/cli/testing/fake-context'
import { makePerson, makeToken, type Person } from '@/lib/access/testing/people'
import { makeJob } from '@/lib/cluster/testing/rows'
import { putCompetitionAnswerSchema } from '@/lib/competitions/contract'
import { type CompetitionKeys, competitionKeys } from '@/lib/competitions/testing/competition-keys'
import { testDatabase } from '@/lib/database/testing/test-database'
import { answerApi } from '@/lib/http/server/answer-api'
import { apiRoutes } from '@/lib/routes/routes'
import { diskStore } from '@/lib/storage/disk'
import { setStorage } from '@/lib/storage/storage'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let folder: string
let host: Person
let token: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-competition-'))
  setStorage(diskStore(join(root, 'store')))
  // Creates the environment.
  await makeJob()
})
beforeEach(async () => {
  host = await makePerson()
  await db.pool.query('UPDATE users SET may_host_competitions = true WHERE id = $1', [host.id])
  ;({ token } = await makeToken(host))
  folder = await mkdtemp(join(root, 'folder-'))
})
afterAll(() => rm(root, { recursive: true }))

/** The command line with the routes of the server. */
function connected() {
  const context = fakeContext((request) => {
    request.headers.set('authorization', `Bearer ${token}`)
    return answerApi(apiRoutes, request)
  })
  context.env = { ...context.env, XDG_CACHE_HOME: join(root, 'cache') }
  return context
}

const write = async (path: string, text: string) => {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

/** Writes a folder that is right. */
async function writeFolder(keys: Partial<CompetitionKeys> = {}): Promise<CompetitionKeys> {
  const config = competitionKeys({ pages: ['overview.md'], join: 'roster', roster: 'roster.csv', ...keys })
  await write('competition.yaml', stringify(config))
  await write('overview.md', '# Overview\n')
  await write('roster.csv', 'email,name,section\nada@example.org,Ada,A\n')
  for (const name of ['train', 'sample', 'test', 'truth']) await write(`data/${name}/rows.csv`, `${name}\n`)
  await write('scorer/score.py', 'print(1)\n')
  return config
}

async function create(options: { dryRun?: boolean } = {}) {
  const context = connected()
  expect(await createCompetition(context, folder, options)).toBe(0)
  return context.written
}

/** How many rows there are that a command may add. */
async function counts(): Promise<Record<string, number>> {
  const { rows } = await db.pool.query(
    `SELECT (SELECT count(*)::int FROM snapshots) AS snapshots, (SELECT count(*)::int FROM competition_datasets) AS datasets,
            (SELECT count(*)::int FROM competition_scorers) AS scorers, (SELECT sum(version)::int FROM competitions) AS versions,
            (SELECT count(*)::int FROM competition_roster) AS roster,
            (SELECT count(*)::int FROM audit_events WHERE action LIKE 'competition_%' AND action <> 'competition_roster_replaced') AS events`,
  )
  return rows[0]
}

it('a folder becomes a published competition, and the same folder twice changes nothing', async () => {
  const { slug } = await writeFolder()
  expect((await create()).out).toBe(
    `Created the competition ${slug}.\nIt is published, with version 1 of its scoring program.\nRoster: 1 added, 0 changed, 0 removed, 0 unchanged.\nIts page: http://gpuq.test/competitions/${slug}\n`,
  )
  const before = await counts()
  const again = await create()
  expect(again.out).toContain(`Nothing has changed: the competition ${slug} is as in ${folder}.\n`)
  expect(again.err).toContain('truth@1 has not changed')
  expect(await counts()).toEqual(before)
})

it('a changed file of a dataset is a new version, which a dry run says without making it', async () => {
  const { slug } = await writeFolder()
  await create()
  await write('data/truth/rows.csv', 'other labels\n')
  const before = await counts()
  const plan = (await create({ dryRun: true })).out
  expect(plan).toContain(`Would change the competition ${slug}.\n`)
  expect(plan).toContain('  truth: 1 file, a new version\n')
  expect(plan).toContain('  train: 1 file, unchanged\n')
  expect(await counts()).toEqual(before)
  expect((await create()).out).toContain(`Changed the competition ${slug}.\n`)
  expect(await counts()).toMatchObject({ datasets: (before.datasets ?? 0) + 1, scorers: before.scorers })
  expect((await create({ dryRun: true })).out).toContain('Would change nothing')
})

it('a dry run of a new competition creates nothing', async () => {
  const { slug } = await writeFolder()
  const before = await counts()
  expect((await create({ dryRun: true })).out).toContain(`Would create the competition ${slug}.\n`)
  expect(await counts()).toEqual(before)
})

it('the answer of create is one JSON document with --json', async () => {
  const { slug } = await writeFolder()
  const context = connected()
  await createCompetition(context, folder, { json: true })
  const answer = putCompetitionAnswerSchema.parse(JSON.parse(context.written.out))
  expect(answer).toMatchObject({ competition_id: slug, created: true, changed: true, published: true })
})

it('a check says everything that is wrong in a folder at once, and changes nothing', async () => {
  await writeFolder({ pages: ['overview.md', 'rules.md'] })
  const outside = await mkdtemp(join(root, 'outside-'))
  await cp(join(folder, 'data/truth'), outside, { recursive: true })
  for (const path of ['data/truth', 'data/test', 'data/sample', 'scorer/score.py', 'roster.csv'])
    await rm(join(folder, path), { recursive: true })
  await symlink(outside, join(folder, 'data/truth'))
  await mkdir(join(folder, 'data/test'))
  await write('scorer/other.py', '')
  await write('roster.csv', '')
  const before = await counts()
  const problems = await checkCompetition(connected(), folder).then(
    () => [],
    ({ errors }: { errors: { path: string; message: string }[] }) =>
      errors.map(({ path, message }) => `${path}: ${message}`),
  )
  expect(problems).toEqual([
    'pages.1: cannot read rules.md: no such file or directory',
    'datasets.sample.path: cannot read data/sample: no such file or directory',
    'datasets.test.path: data/test has no files to send.',
    expect.stringContaining('datasets.truth.path: data/truth is a link that leads out of'),
    'scorer.command: scorer has no file score.py',
    'roster: roster.csv is empty',
  ])
  expect(await counts()).toEqual(before)
})

it('a check says what only the server knows, such as unknown users and lines of a roster that are wrong', async () => {
  const keys = await writeFolder()
  await write('competition.yaml', stringify({ ...keys, roles: { ta: ['nobody-here'] } }))
  await expect(checkCompetition(connected(), folder)).rejects.toThrow(
    'roles.ta.0: there is no user "nobody-here"',
  )
  await write('competition.yaml', stringify(keys))
  await create()
  await write('roster.csv', 'email,name\nnobody,Ada\n')
  await expect(checkCompetition(connected(), folder)).rejects.toMatchObject({
    message: 'roster.csv has 1 problem, so it was not stored:',
    errors: [{ path: 'roster', line: 2 }],
  })
  await write('roster.csv', 'email,name\nada@example.org,Ada\n')
  const context = connected()
  expect(await checkCompetition(context, folder)).toBe(0)
  expect(context.written.out).toBe(`${folder} is right: ${keys.slug}, 1 phase, 4 datasets.\n`)
})

it('a competition.yaml that is wrong is refused with the lines of its mistakes', async () => {
  await writeFolder()
  await write('competition.yaml', 'slug: x\ntitle: x\nphases: []\n')
  await expect(createCompetition(connected(), folder, {})).rejects.toMatchObject({
    message: `${join(folder, 'competition.yaml')} has 2 problems:`,
    errors: [
      { path: 'scorer', message: 'needs a value', line: 1 },
      { path: 'phases', message: 'has no phase', line: 3 },
    ],
  })
})

it('a folder without a right to host is refused before anything is sent', async () => {
  await writeFolder()
  await db.pool.query('UPDATE users SET may_host_competitions = false WHERE id = $1', [host.id])
  const before = await counts()
  await expect(createCompetition(connected(), folder, {})).rejects.toThrow(
    'the right "may host competitions"',
  )
  expect(await counts()).toEqual(before)
})

it('competitions are listed with their phase, and shown with their data', async () => {
  const { slug } = await writeFolder()
  await create()
  const context = connected()
  await listCompetitions(context, { limit: 50, joined: true })
  expect(context.written.out).toMatch(new RegExp(`${slug} +A competition +host +main +ends in `))
  const shown = connected()
  await showCompetition(shown, slug, {})
  expect(shown.written.out).toContain('0 teams, you are host\n')
  expect(shown.written.out).toContain('data truth@1: labels, 1 file\n')
  expect(shown.written.out).toContain('entries of a team: 5 a day\n')
})
