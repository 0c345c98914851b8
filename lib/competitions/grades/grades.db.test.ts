import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import type { ApiRoute } from '../../http/route'
import { gradesSchema } from '../contract-grades'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { openPhase } from '../testing/competition-keys'
import { insertScored } from '../testing/scored-entries'
import { gradeRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, instructor, ta, ada, bob, eve] = [] as unknown as [Person, Person, Person, Person, Person, Person]
beforeAll(async () => {
  ;[host, instructor, ta] = [await makePerson(), await makePerson(), await makePerson()]
  ;[ada, bob, eve] = [await makePerson(), await makePerson(), await makePerson()]
})

const hourMs = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * hourMs)

/** A class of ada and bob in one team, and eve alone, whose phase ended 30 hours ago. The team has an entry of 10 hours later. */
async function makeClass(): Promise<TestCompetition & { entry: string }> {
  const phase = openPhase({
    start: ago(100).toISOString(),
    end: ago(30).toISOString(),
    points: 100,
    late: { percent_per_day: 10, max_days: 2 },
  })
  const competition = await makeCompetition({ hosts: [host], config: { team_max: 2, phases: [phase] } })
  await competition.join(instructor, { role: 'instructor' })
  await competition.join(ta, { role: 'ta' })
  const teamId = await competition.join(ada, { team: 'two' })
  await competition.join(bob, { team: 'two' })
  await competition.join(eve)
  const [entry = ''] = await insertScored(competition, [
    { teamId, userId: ada.id, scores: { acc: 0.5, priv: 0.4 }, receivedAt: ago(20) },
  ])
  return { ...competition, entry }
}

interface Given {
  body?: unknown
  user?: Person
  query?: string
}

function send(
  name: keyof typeof gradeRoutes,
  { cookie }: Person,
  { slug }: Pick<TestCompetition, 'slug'>,
  { body, user = ada, query = '' }: Given = {},
) {
  const handler: ApiRoute = gradeRoutes[name]
  return call(handler, `/x${query}`, {
    method: handler.operation.method.toUpperCase(),
    cookie,
    params: { id: slug, phase: 'main', user: user.handle },
    ...(body !== undefined && { body }),
  })
}

async function gradesOf(who: Person, competition: TestCompetition) {
  const { status, body } = await send('list', who, competition)
  expect(status, JSON.stringify(body)).toBe(200)
  const all = gradesSchema.array().parse(body)
  return Object.fromEntries(all.map(({ user_id, cells }) => [user_id, cells[0]]))
}

async function ownGrade(who: Person, competition: TestCompetition) {
  const { body } = await send('own', who, competition)
  return gradesSchema.parse(body).cells[0]
}

async function csv(who: Person, { slug }: Pick<TestCompetition, 'slug'>, query = '') {
  const headers = new Headers({ cookie: who.cookie, 'sec-fetch-site': 'same-origin' })
  const request = new Request(`http://localhost:8001/x${query}`, { headers })
  const response = await gradeRoutes.csv(request, { params: Promise.resolve({ id: slug }) })
  return { status: response.status, text: await response.text() }
}

const extension = (hours: number) => ({ until: ago(hours).toISOString(), reason: 'Ill.' })

describe('the gradebook', () => {
  it('counts the entry of a team for each of its members, and shows the staff the final score', async () => {
    const competition = await makeClass()
    const cell = { value: 36, raw: 0.4, column: 'priv', entry_id: competition.entry }
    expect(await gradesOf(ta, competition)).toMatchObject({
      [ada.handle]: cell,
      [bob.handle]: cell,
      [eve.handle]: { value: null, raw: null, entry_id: null, penalty: null },
    })
  })

  it('shows participants their own grade by the public score until the reveal, with what the entry lost', async () => {
    const competition = await makeClass()
    expect(await ownGrade(bob, competition)).toMatchObject({
      value: 45,
      column: 'acc',
      penalty: {
        days_late: 1,
        percent: 10,
        explanation: expect.stringMatching(/^1 day late .*: 10 % taken\.$/),
      },
    })
    await db.pool.query('UPDATE competition_phases SET revealed_at = now() WHERE competition_id = $1', [
      competition.id,
    ])
    expect(await ownGrade(bob, competition)).toMatchObject({ value: 36, column: 'priv' })
    expect(await send('own', ta, competition)).toMatchObject({ status: 403 })
  })

  it('an extension changes the penalty of entries that are there at once, for the participant who has it', async () => {
    const competition = await makeClass()
    const body = extension(15)
    expect(await send('putExtension', ta, competition, { body })).toMatchObject({
      status: 200,
      body: { ...body, by: ta.handle },
    })
    expect(await gradesOf(ta, competition)).toMatchObject({
      [ada.handle]: { value: 40, penalty: { percent: 0 }, extension: { reason: 'Ill.' } },
      [bob.handle]: { value: 36, extension: null },
    })
    expect((await send('removeExtension', ta, competition)).status).toBe(204)
    expect(await gradesOf(ta, competition)).toMatchObject({ [ada.handle]: { value: 36, extension: null } })
    expect((await send('removeExtension', ta, competition)).status).toBe(404)
  })

  it('a disqualified entry gives no grade', async () => {
    const competition = await makeClass()
    await db.pool.query(
      "UPDATE entries SET disqualified_at = now(), disqualified_why = 'copied' WHERE id = $1",
      [competition.entry],
    )
    expect(await gradesOf(ta, competition)).toMatchObject({ [ada.handle]: { value: null } })
  })

  it('a grade that an instructor sets replaces the computed one, with a reason that the participant sees', async () => {
    const competition = await makeClass()
    const body = { value: 77, reason: 'A talk.' }
    expect(await send('putOverride', instructor, competition, { body })).toMatchObject({ status: 200, body })
    const override = { ...body, by: instructor.handle }
    expect(await ownGrade(ada, competition)).toMatchObject({ value: 77, raw: 0.5, override })
    expect(await ownGrade(bob, competition)).toMatchObject({ value: 45, override: null })
    expect((await send('removeOverride', instructor, competition)).status).toBe(204)
    expect(await ownGrade(ada, competition)).toMatchObject({ value: 45, override: null })
    expect((await send('removeOverride', instructor, competition)).status).toBe(404)
  })

  it('comes in pages', async () => {
    const competition = await makeClass()
    const first = await send('list', ta, competition, { query: '?limit=2' })
    expect(first.body).toHaveLength(2)
  })
})

describe('what is wrong', () => {
  it.each([
    ['an extension without a time', { until: 'tomorrow', reason: 'Ill.' }],
    ['an extension that ends before the phase', extension(31)],
    ['an extension without a reason', { until: ago(1).toISOString(), reason: ' ' }],
  ])('%s is refused', async (_, body) => {
    expect(await send('putExtension', ta, await makeClass(), { body })).toMatchObject({ status: 422 })
  })

  it('the staff has no grades', async () => {
    const body = { value: 1, reason: 'A talk.' }
    const competition = await makeClass()
    expect(await send('putOverride', host, competition, { body, user: ta })).toMatchObject({ status: 409 })
    expect(await gradesOf(host, competition)).not.toHaveProperty(ta.handle)
  })
})

describe('who may use the gradebook', () => {
  it('participants see no grades of others, TAs give extensions, instructors set grades and download them', async () => {
    const competition = await makeClass()
    const grade = { body: { value: 1, reason: 'A talk.' } }
    for (const [who, list, extend, set] of [
      [ada, 403, 403, 403],
      [ta, 200, 200, 403],
      [instructor, 200, 200, 200],
      [host, 200, 200, 200],
    ] as const) {
      expect((await send('list', who, competition)).status).toBe(list)
      expect((await send('putExtension', who, competition, { body: extension(1) })).status).toBe(extend)
      expect((await send('putOverride', who, competition, grade)).status).toBe(set)
      expect((await csv(who, competition)).status).toBe(set)
    }
    const outsider = await makePerson()
    expect((await send('own', outsider, competition)).status).toBe(403)
  })
})

describe('grades as CSV', () => {
  it('have the columns that Canvas and Moodle import', async () => {
    const competition = await makeClass()
    await db.pool.query("UPDATE competition_members SET section = 'A' WHERE competition_id = $1", [
      competition.id,
    ])
    const canvas = (await csv(host, competition, '?format=canvas')).text.split('\r\n')
    expect(canvas.slice(0, 2)).toEqual([
      'Student,ID,SIS User ID,SIS Login ID,Section,main',
      '    Points Possible,,,,,100',
    ])
    expect(canvas).toHaveLength(6)
    expect(canvas.filter((line) => line.endsWith(',A,36'))).toHaveLength(2)
    await db.pool.query('UPDATE users SET email = $2 WHERE id = $1', [ada.id, `${ada.handle}@example.org`])
    await db.pool.query('UPDATE users SET email = NULL WHERE id = $1', [eve.id])
    const moodle = (await csv(host, competition, '?format=moodle')).text.split('\r\n')
    expect(moodle[0]).toBe('Email address,main')
    expect(moodle).toContain(`${ada.handle}@example.org,36`)
    expect(moodle.some((line) => line.startsWith(','))).toBe(false)
  })

  it('say why a grade is what it is, and have no cell that a spreadsheet takes for a formula', async () => {
    const competition = await makeClass()
    await db.pool.query('UPDATE users SET name = $2 WHERE id = $1', [bob.id, '=1+1'])
    await send('putOverride', host, competition, {
      body: { value: -3, reason: '=HYPERLINK("x")' },
      user: eve,
    })
    const { text } = await csv(host, competition)
    expect(text.split('\r\n')[0]).toBe('user_id,name,email,section,team,main,main_raw,main_why')
    expect(text).toContain(`${bob.handle},'=1+1,`)
    expect(text).toMatch(/,36,0\.4,"?1 day late/)
    expect(text).toContain(`,-3,,"'=HYPERLINK(""x"")"`)
  })
})
