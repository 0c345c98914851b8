import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call, readPages } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import type { ApiHandler } from '../../http/route'
import { upload } from '../../routes/testing/upload'
import type { Entry } from '../contract-entries'
import { stopDisqualified } from '../scoring/stop-disqualified'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { openPhase } from '../testing/competition-keys'
import { failEntry, scoreEntry, startEntry } from '../testing/entries'
import { entryRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, ta, instructor, ada, bob, eve] = [] as unknown as [Person, Person, Person, Person, Person, Person]
beforeAll(async () => {
  host = await makePerson()
  ta = await makePerson()
  instructor = await makePerson()
  ada = await makePerson()
  bob = await makePerson()
  eve = await makePerson()
  // The first job creates an environment.
  await makeJob()
})

async function make(phase: Parameters<typeof openPhase>[0] = {}): Promise<TestCompetition> {
  const competition = await makeCompetition({ config: { phases: [openPhase(phase)] }, hosts: [host] })
  await competition.join(ta, { role: 'ta' })
  await competition.join(instructor, { role: 'instructor' })
  await competition.join(ada)
  await competition.join(bob)
  return competition
}

async function send(person: Person, { slug }: TestCompetition, config = ''): Promise<string> {
  const answer = await upload(person, { competition: slug, config })
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  return String(answer.body.job_id)
}

const ask = (person: Pick<Person, 'cookie'>, handler: ApiHandler, id: string, body?: object) =>
  call(handler, '/x', {
    cookie: person.cookie,
    params: { id },
    ...(body ? { method: 'POST', body } : {}),
  })
const post = (person: Person, handler: ApiHandler, id: string, body: object = {}) =>
  ask(person, handler, id, body)

/** The answer of a download. */
async function download(person: Person, handler: ApiHandler, id: string) {
  const request = new Request('http://localhost:8001/x', {
    headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin' },
  })
  const response = await handler(request, { params: Promise.resolve({ id }) })
  return { status: response.status, text: await response.text() }
}

const list = (person: Person, { slug }: TestCompetition, query = '') =>
  call(entryRoutes.list, `/x${query}`, { cookie: person.cookie, params: { id: slug, phase: 'main' } })

describe("another team's entry", () => {
  it('answers 404 to every operation, as an unknown id does', async () => {
    const competition = await make()
    const id = await send(bob, competition)
    for (const person of [ada, eve]) {
      for (const unknown of [id, '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61', 'x']) {
        const answers = await Promise.all([
          ask(person, entryRoutes.get, unknown),
          download(person, entryRoutes.log, unknown),
          download(person, entryRoutes.source, unknown),
          post(person, entryRoutes.withdraw, unknown),
          post(person, entryRoutes.choose, unknown, { chosen: true }),
          post(person, entryRoutes.disqualify, unknown, { reason: 'no' }),
        ])
        expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(404))
      }
    }
    expect(await ask(bob, entryRoutes.get, id)).toMatchObject({ status: 200, body: { state: 'held' } })
  })
})

describe('the list of entries', () => {
  it("has the caller's team, newest first, in pages; the staff may ask for a team or all", async () => {
    const competition = await make({ quota: { per_day: 50 } })
    const own = [await send(ada, competition), await send(ada, competition), await send(ada, competition)]
    const other = await send(bob, competition)
    const baseline = await send(host, competition)
    const idsOf = ({ body }: { body: unknown }) => (body as Entry[]).map(({ id }) => id)
    expect(idsOf(await list(ada, competition))).toEqual(own.toReversed())
    expect(idsOf(await list(ta, competition))).toEqual([])
    expect(idsOf(await list(host, competition))).toEqual([baseline])
    expect(idsOf(await list(ta, competition, '?all=true'))).toEqual([baseline, other, ...own.toReversed()])
    expect(idsOf(await list(ta, competition, `?team=${bob.handle}`))).toEqual([other])
    for (const query of ['?all=true', `?team=${bob.handle}`])
      expect(await list(ada, competition, query)).toMatchObject({ status: 403 })
    await competition.join(eve, { state: 'requested' })
    expect(await list(eve, competition)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('must approve your request') },
    })
    expect(await list(eve, competition)).toMatchObject({ status: 403 })
    const handler: ApiHandler = (request) =>
      entryRoutes.list(request, { params: Promise.resolve({ id: competition.slug, phase: 'main' }) })
    const pages = await readPages(handler, '/x?limit=2', ada)
    expect(pages.map((page) => page.length)).toEqual([2, 1])
    expect(pages.flat().map((entry) => (entry as Entry).id)).toEqual(own.toReversed())
  })

  it('what a team may still send comes with the places of its entries, without names of others', async () => {
    const competition = await make()
    await send(bob, competition)
    const first = await send(ada, competition)
    const second = await send(ada, competition)
    const answer = await call(entryRoutes.own, '/x', {
      cookie: ada.cookie,
      params: { id: competition.slug, phase: 'main' },
    })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        quota: { per_day: { limit: 5, used: 2, left: 3 } },
        waiting: [
          { id: first, place: 2, ahead: 1 },
          { id: second, place: 3, ahead: 1 },
        ],
      },
    })
    expect(JSON.stringify(answer.body)).not.toContain(bob.handle)
  })
})

describe('what an entry prints', () => {
  /** Stores a line that the program of a job has printed. */
  async function print(jobId: string, text: string): Promise<void> {
    const record = JSON.stringify({ type: 'stdout', t: '2026-01-01T00:00:00.000Z', rank: 0, text })
    await db.pool.query(
      `WITH t AS (UPDATE tasks SET output_bytes = octet_length($2::bytea) WHERE job_id = $1 RETURNING id)
       INSERT INTO log_chunks (task_id, start, records) SELECT id, 0, $2 FROM t`,
      [jobId, Buffer.from(`${record}\n`)],
    )
  }

  it('is for the staff alone in a phase that hides it, and its program is for its team and the staff', async () => {
    const competition = await make()
    const id = await send(ada, competition)
    await print(await startEntry(competition, id), 'the hidden row is 7')
    const hidden = await download(ada, entryRoutes.log, id)
    expect(hidden).toMatchObject({ status: 403, text: expect.stringContaining('hidden data') })
    expect(hidden.text).not.toContain('row is 7')
    for (const person of [ta, host])
      expect(await download(person, entryRoutes.log, id)).toEqual({
        status: 200,
        text: 'the hidden row is 7\n',
      })
    for (const person of [ada, ta])
      expect(await download(person, entryRoutes.source, id)).toEqual({ status: 200, text: 'print(1)' })
    expect(await ask(ta, entryRoutes.get, id)).toMatchObject({ body: { job_id: null, log: true } })
  })

  it('its team reads it in a phase that shows logs, and that of a rehearsal in every phase', async () => {
    for (const [logs, config] of [
      ['own', ''],
      ['none', 'rehearse: true\n'],
    ] as const) {
      const competition = await make({ logs })
      const id = await send(ada, competition, config)
      expect(await download(ada, entryRoutes.log, id)).toEqual({ status: 200, text: '' })
      await print(await startEntry(competition, id), 'loss 0.5')
      expect(await download(ada, entryRoutes.log, id)).toEqual({ status: 200, text: 'loss 0.5\n' })
    }
  })
})

describe('an entry that is withdrawn', () => {
  it('a withdrawn entry that waits ends at once, keeps its program, and frees its place of the quota', async () => {
    const competition = await make({ quota: { total: 1 } })
    const id = await send(ada, competition)
    expect(await post(ta, entryRoutes.withdraw, id)).toMatchObject({ status: 403 })
    expect(await post(ada, entryRoutes.withdraw, id)).toMatchObject({
      status: 200,
      body: { state: 'cancelled' },
    })
    expect(await post(ada, entryRoutes.withdraw, id)).toMatchObject({ status: 409 })
    expect((await download(ada, entryRoutes.source, id)).text).toBe('print(1)')
    await send(ada, competition)
  })

  it('the job of a withdrawn entry is told to end, and an entry that has ended is not withdrawn', async () => {
    const competition = await make()
    const id = await send(ada, competition)
    const jobId = await startEntry(competition, id)
    expect(await post(ada, entryRoutes.withdraw, id)).toMatchObject({
      status: 200,
      body: { state: 'running' },
    })
    const { rows } = await db.pool.query('SELECT cancel_reason FROM jobs WHERE id = $1', [jobId])
    expect(rows).toEqual([{ cancel_reason: 'cancelled_by_user' }])
    await scoreEntry(competition, id, { acc: 1, priv: 1 })
    expect(await post(ada, entryRoutes.withdraw, id)).toMatchObject({ status: 409 })
  })
})

describe('an entry that is chosen', () => {
  it('at most as many as count are chosen, also by parallel requests, until the phase ends', async () => {
    const competition = await make({ select: { rule: 'chosen', n: 2, fallback: 'acc' } })
    const ids = [await send(ada, competition), await send(ada, competition), await send(ada, competition)]
    const answers = await Promise.all(ids.map((id) => post(ada, entryRoutes.choose, id, { chosen: true })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409])
    const taken = ids.find((_, index) => answers[index]?.status === 200) ?? ''
    const refused = ids.find((_, index) => answers[index]?.status === 409) ?? ''
    expect(await post(ada, entryRoutes.choose, taken, { chosen: false })).toMatchObject({
      body: { chosen: false },
    })
    expect(await post(ada, entryRoutes.choose, refused, { chosen: true })).toMatchObject({
      body: { chosen: true },
    })
    expect(await post(host, entryRoutes.choose, taken, { chosen: true })).toMatchObject({ status: 403 })
    await failEntry(taken, 'system')
    expect(await post(ada, entryRoutes.choose, taken, { chosen: true })).toMatchObject({ status: 409 })
    await db.pool.query('UPDATE competition_phases SET ends_at = now() WHERE competition_id = $1', [
      competition.id,
    ])
    expect(await post(ada, entryRoutes.choose, refused, { chosen: false })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('The phase ended on') },
    })
  })

  it('a phase in which the best entry counts has no choice', async () => {
    const competition = await make()
    const id = await send(ada, competition)
    expect(await post(ada, entryRoutes.choose, id, { chosen: true })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('the best one of a team by acc counts') },
    })
  })
})

describe('an entry that is disqualified', () => {
  it.each([
    ['nothing', ' '],
    ['a control character', 'It copies.\0'],
    ['half a character', 'It copies.\ud800'],
  ])('a reason with %s is refused', async (_, reason) => {
    const id = await send(ada, await make())
    expect(await post(instructor, entryRoutes.disqualify, id, { reason })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'reason' }] },
    })
  })

  it('a disqualified entry leaves the queue and keeps what it sent, and the decision is recorded and can be taken back', async () => {
    const competition = await make()
    const id = await send(ada, competition)
    for (const person of [ada, ta])
      expect(await post(person, entryRoutes.disqualify, id, { reason: 'no' })).toMatchObject({ status: 403 })
    expect(await post(instructor, entryRoutes.disqualify, id, { reason: 'It copies.' })).toMatchObject({
      status: 200,
      body: { disqualified: 'It copies.', message: 'It is disqualified: It copies.' },
    })
    await stopDisqualified()
    expect(await ask(ada, entryRoutes.get, id)).toMatchObject({
      body: { state: 'cancelled', disqualified: 'It copies.' },
    })
    expect((await download(host, entryRoutes.source, id)).text).toBe('print(1)')
    expect(await post(host, entryRoutes.disqualify, id, { reason: null })).toMatchObject({
      body: { disqualified: null },
    })
    const { rows } = await db.pool.query('SELECT action FROM audit_events WHERE target = $1 ORDER BY at', [
      id,
    ])
    expect(rows.map(({ action }) => action)).toEqual(['entry_disqualified', 'entry_reinstated'])
  })
})

it('a caller waits for the end of an entry', async () => {
  const competition = await make()
  const id = await send(ada, competition)
  const answer = call(entryRoutes.get, '/x?wait=100', { cookie: ada.cookie, params: { id } })
  await startEntry(competition, id)
  await scoreEntry(competition, id, { acc: 1, priv: 1 })
  expect(await answer).toMatchObject({ status: 200, body: { state: 'scored', scores: { acc: '1.000' } } })
})
