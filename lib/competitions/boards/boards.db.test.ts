import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { findCompetition, findPhase } from '../access'
import { type Board, boardSchema } from '../contract-boards'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { openPhase } from '../testing/competition-keys'
import { insertScored } from '../testing/scored-entries'
import { changeBoard } from './change-board'
import { findRanking } from './ranking'
import { boardRoutes } from './routes'
import { settleBoards } from './settle-boards'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let [host, ada, bob, admin] = [] as unknown as [Person, Person, Person, Person]
beforeAll(async () => {
  ;[host, ada, bob] = [await makePerson(), await makePerson(), await makePerson()]
  admin = await makePerson('admin')
})

type Who = Person | null

const answer = (who: Who, { slug }: { slug: string }, query = '', phase = 'main') =>
  call(boardRoutes.get, `/x${query}`, { ...(who && { cookie: who.cookie }), params: { id: slug, phase } })

async function read(who: Who, competition: { slug: string }, query = ''): Promise<Board> {
  const { status, body } = await answer(who, competition, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return boardSchema.parse(body)
}

async function csv(who: Who, { slug }: { slug: string }) {
  const headers = new Headers(who ? { cookie: who.cookie, 'sec-fetch-site': 'same-origin' } : {})
  const request = new Request('http://localhost:8001/x', { headers })
  const response = await boardRoutes.csv(request, { params: Promise.resolve({ id: slug, phase: 'main' }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const reveal = (who: Person, { slug }: { slug: string }) =>
  call(boardRoutes.reveal, '/x', { method: 'POST', cookie: who.cookie, params: { id: slug, phase: 'main' } })

const ranksOf = ({ rows }: Board) => rows.map(({ team, rank }) => [team, rank])

/** Moves the times of all phases and entries of a competition, so that a freeze or an end is past. */
const shift = ({ id }: TestCompetition, hours: number) =>
  db.pool.query(
    `WITH moved AS (UPDATE entries SET received_at = received_at - make_interval(hours => $2) WHERE competition_id = $1)
     UPDATE competition_phases SET starts_at = starts_at - make_interval(hours => $2), ends_at = ends_at - make_interval(hours => $2),
            freeze_at = freeze_at - make_interval(hours => $2) WHERE competition_id = $1`,
    [id, hours],
  )

const hour = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * hour)
const team = (competition: TestCompetition, user: Person, name: string) =>
  competition.join(user, { team: name }) as Promise<string>

/** A competition with the teams `one` of ada and `two` of bob. */
async function withTeams(config: Parameters<typeof makeCompetition>[0] = {}) {
  const competition = await makeCompetition({ hosts: [host], ...config })
  const one = await team(competition, ada, 'one')
  const two = await team(competition, bob, 'two')
  const add = (teamId: string | null, scores: object, more: object = {}) =>
    insertScored(competition, [{ teamId, userId: ada.id, scores: { ...scores }, ...more }])
  return { competition, one, two, add }
}

/** A phase that began two days ago, has been frozen for an hour, and ends in an hour. */
const frozenPhase = (board: object = {}) =>
  openPhase({
    start: ago(48).toISOString(),
    end: ago(-1).toISOString(),
    board: { rank: 'acc', final: 'priv', freeze: ago(1).toISOString(), ...board },
  })

describe('who sees a board', () => {
  it.each(['public', 'signed_in', 'members'] as const)(
    'the board of a competition with the visibility %s is 404 for whoever may not see it, as that of an unknown one',
    async (visibility) => {
      const competition = await makeCompetition({ hosts: [host], config: { visibility } })
      await competition.join(ada)
      expect((await answer(ada, competition)).status).toBe(200)
      expect((await answer(bob, competition)).status).toBe(visibility === 'members' ? 404 : 200)
      expect((await answer(null, competition)).status).toBe(visibility === 'public' ? 200 : 404)
      expect((await csv(null, competition)).status).toBe(visibility === 'public' ? 200 : 404)
      expect((await answer(admin, competition)).status).toBe(200)
      expect((await answer(ada, { slug: 'unknown' })).status).toBe(404)
      expect((await csv(ada, { slug: 'unknown' })).status).toBe(404)
      expect((await answer(ada, competition, '', 'unknown')).status).toBe(404)
    },
  )

  it('only hosts see the board of a competition that is not published', async () => {
    const competition = await makeCompetition({
      hosts: [host],
      published: false,
      config: { visibility: 'public' },
    })
    expect((await answer(host, competition)).status).toBe(200)
    expect((await answer(null, competition)).status).toBe(404)
    expect((await answer(bob, competition)).status).toBe(404)
  })

  it('before the reveal, private columns are in no answer for visitors, participants and observers; the staff sees them', async () => {
    const { competition, one, add } = await withTeams({ config: { visibility: 'public' } })
    const [instructor, ta, observer, requested] = [
      await makePerson(),
      await makePerson(),
      await makePerson(),
      await makePerson(),
    ]
    await competition.join(instructor, { role: 'instructor' })
    await competition.join(ta, { role: 'ta' })
    await competition.join(observer, { role: 'observer' })
    await competition.join(requested, { role: 'ta', state: 'requested' })
    await add(one, { acc: 0.5, priv: 0.123 })
    await add(null, { acc: 0.4, priv: 0.456 }, { name: 'naive' })
    const everything = async (who: Who) =>
      JSON.stringify(await read(who, competition)) + (await csv(who, competition)).text
    for (const who of [null, ada, bob, observer, requested]) {
      const text = await everything(who)
      expect(text).toContain('0.500')
      expect(text).not.toMatch(/priv|0\.123|0\.456/)
    }
    for (const who of [ta, instructor, host, admin]) expect(await everything(who)).toMatch(/priv.*0\.123/)
  })
})

describe('the rows of a board', () => {
  it('API and CSV have the same order, ranks and digits, with ties and baselines', async () => {
    const { competition, one, two, add } = await withTeams()
    const third = await team(competition, await makePerson(), '=SUM(A1)')
    const fourth = await team(competition, await makePerson(), 'a, "b"')
    await add(one, { acc: 0.9004, priv: 0 })
    await add(two, { acc: 0.8996, priv: 0 })
    await add(third, { acc: -0.25, priv: 0 })
    await add(fourth, { acc: 0.1, priv: 0 })
    await add(null, { acc: 0.5, priv: 0 }, { name: 'naive' })
    const board = await read(ada, competition)
    expect(ranksOf(board)).toEqual([
      ['one', 1],
      ['two', 1],
      ['naive', null],
      ['a, "b"', 3],
      ['=SUM(A1)', 4],
    ])
    const { text, headers } = await csv(ada, competition)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${competition.slug}-main.csv"`)
    const cells = (index: number) => board.rows[index]?.best_at
    expect(text.split('\r\n')).toEqual([
      'rank,team,acc,entries,best_at',
      `1,one,0.900,1,${cells(0)}`,
      `1,two,0.900,1,${cells(1)}`,
      `,naive,0.500,1,${cells(2)}`,
      `3,"a, ""b""",0.100,1,${cells(3)}`,
      `4,'=SUM(A1),-0.250,1,${cells(4)}`,
      '',
    ])
    expect(board).toMatchObject({ total: 5, own: { team: 'one', rank: 1, own: true }, rank_by: 'acc' })
  })

  it('entries without numbers, rehearsals and disqualified entries have no rank', async () => {
    const { competition, one, two, add } = await withTeams()
    await add(one, { acc: 'NaN', priv: 0 })
    await add(one, { priv: 0 })
    await add(one, { acc: null, priv: 0 })
    await add(one, { acc: 0.9, priv: 0, more: 'x' })
    await add(one, { acc: 0.99, priv: 0 }, { kind: 'rehearsal' })
    await add(one, { acc: 0.98, priv: 0 }, { disqualified: true })
    await add(two, { acc: 0.1, priv: 0 })
    expect(ranksOf(await read(ada, competition))).toEqual([['two', 1]])
    await add(one, { acc: 0.2, priv: 0 })
    const board = await read(ada, competition)
    expect(board.own).toMatchObject({ rank: 1, values: { acc: '0.200' }, entries: 1 })
  })

  it('the search keeps ranks, and the own row is in each part', async () => {
    const { competition, one, two, add } = await withTeams()
    await add(one, { acc: 0.1, priv: 0 })
    await add(two, { acc: 0.9, priv: 0 })
    const found = await read(bob, competition, '?q=ON')
    expect([ranksOf(found), found.total, found.own?.rank]).toEqual([[['one', 2]], 1, 1])
    const second = await read(bob, competition, '?offset=1&limit=1')
    expect([ranksOf(second), second.total, second.own?.team]).toEqual([[['one', 2]], 2, 'two'])
    expect((await read(host, competition)).own).toBeNull()
  })

  it('the change of a rank is counted from a day ago, and a new team has none', async () => {
    const { competition, one, two, add } = await withTeams({
      config: { phases: [frozenPhase({ freeze: undefined })] },
    })
    await add(one, { acc: 0.5, priv: 0 }, { receivedAt: ago(40) })
    await add(two, { acc: 0.4, priv: 0 }, { receivedAt: ago(40) })
    await add(two, { acc: 0.8, priv: 0 })
    const third = await team(competition, await makePerson(), 'three')
    await add(third, { acc: 0.1, priv: 0 })
    expect((await read(ada, competition)).rows.map((row) => [row.team, row.change])).toEqual([
      ['two', 1],
      ['one', -1],
      ['three', null],
    ])
  })
})

describe('a frozen board', () => {
  it('participants and visitors see only entries received before the freeze, hosts see all', async () => {
    const { competition, one, two, add } = await withTeams({
      config: { visibility: 'public', phases: [frozenPhase()] },
    })
    await add(one, { acc: 0.5, priv: 0 }, { receivedAt: ago(2) })
    await add(two, { acc: 0.4, priv: 0 }, { receivedAt: ago(2) })
    await add(two, { acc: 0.9, priv: 0 }, { receivedAt: ago(0.5) })
    for (const who of [null, ada, bob]) {
      const board = await read(who, competition)
      expect(ranksOf(board)).toEqual([
        ['one', 1],
        ['two', 2],
      ])
      expect(board.frozen_at).not.toBeNull()
      expect(JSON.stringify(board)).not.toContain('0.9')
      expect(board.rows[1]?.entries).toBe(1)
    }
    expect((await read(bob, competition)).own).toMatchObject({ rank: 2, values: { acc: '0.400' } })
    expect(await read(host, competition)).toMatchObject({
      frozen_at: null,
      rows: [{ team: 'two', rank: 1 }, {}],
    })
  })

  it('the stored board stays byte for byte until the reveal, whatever is scored again, disqualified or renamed', async () => {
    const { competition, one, two, add } = await withTeams({
      config: { visibility: 'public', phases: [frozenPhase()] },
    })
    const [first] = await add(one, { acc: 0.5, priv: 0.1 }, { receivedAt: ago(2) })
    const [second] = await add(two, { acc: 0.4, priv: 0.2 }, { receivedAt: ago(2) })
    await db.pool.query(`UPDATE entries SET state = 'running', ended_at = NULL WHERE id = $1`, [second])
    await settleBoards()
    await db.pool.query(`UPDATE entries SET state = 'scored', ended_at = now() WHERE id = $1`, [second])
    await changeBoard(db.pool, competition.id)
    const texts = async () =>
      Promise.all([null, ada, bob].flatMap((who) => [answer(who, competition), csv(who, competition)]))
    // An entry ran, so nothing was stored then.
    expect((await read(ada, competition)).total).toBe(2)
    await settleBoards()
    const before = (await texts()).map((one) => JSON.stringify('text' in one ? one.text : one.body))
    await db.pool.query(`UPDATE score_runs SET scores = '{"acc": 0.99, "priv": 0.99}' WHERE entry_id = $1`, [
      second,
    ])
    await db.pool.query(
      `UPDATE entries SET disqualified_at = now(), disqualified_why = 'copied' WHERE id = $1`,
      [first],
    )
    await db.pool.query(`UPDATE competition_teams SET name = 'renamed' WHERE id = $1`, [one])
    await db.pool.query(`UPDATE competitions SET version = version + 1 WHERE id = $1`, [competition.id])
    await changeBoard(db.pool, competition.id)
    await settleBoards()
    expect((await texts()).map((one) => JSON.stringify('text' in one ? one.text : one.body))).toEqual(before)
    expect(ranksOf(await read(host, competition))).toEqual([['two', 1]])
    await shift(competition, 3)
    await db.pool.query(
      'UPDATE board_snapshots b SET freeze_at = p.freeze_at FROM competition_phases p WHERE p.id = b.phase_id',
    )
    expect((await read(ada, competition)).rows).toHaveLength(2)
    expect((await reveal(host, competition)).status).toBe(200)
    expect(await read(ada, competition)).toMatchObject({
      revealed: true,
      frozen_at: null,
      rank_by: 'priv',
      rows: [{ team: 'two', values: { acc: '0.990', priv: '0.990' } }],
    })
  })

  it('a board is not stored while an entry from before the freeze has not ended, and rehearsals do not count', async () => {
    const { competition, one, add } = await withTeams({ config: { phases: [frozenPhase()] } })
    const [open] = await add(one, { acc: 0.5, priv: 0.1 }, { receivedAt: ago(2) })
    const [rehearsal] = await add(one, {}, { receivedAt: ago(2), kind: 'rehearsal' })
    const [late] = await add(one, { acc: 0.6, priv: 0.1 }, { receivedAt: ago(0.1) })
    await db.pool.query(`UPDATE entries SET state = 'held', ended_at = NULL WHERE id = ANY ($1::uuid[])`, [
      [open, rehearsal, late],
    ])
    const stored = async () =>
      (await db.pool.query('SELECT 1 FROM board_snapshots WHERE phase_id = $1', [competition.phases.main]))
        .rowCount
    await settleBoards()
    expect(await stored()).toBe(0)
    await db.pool.query(`UPDATE entries SET state = 'cancelled', ended_at = now() WHERE id = $1`, [open])
    await settleBoards()
    expect(await stored()).toBe(1)
  })

  it('the board of an earlier freeze is not shown after a host moved the freeze', async () => {
    const { competition, one, two, add } = await withTeams({ config: { phases: [frozenPhase()] } })
    await add(one, { acc: 0.5, priv: 0.1 }, { receivedAt: ago(2) })
    await settleBoards()
    expect((await read(ada, competition)).total).toBe(1)
    await db.pool.query('UPDATE competition_phases SET freeze_at = $2 WHERE competition_id = $1', [
      competition.id,
      ago(0.5),
    ])
    await add(two, { acc: 0.6, priv: 0.1 }, { receivedAt: ago(0.75) })
    expect((await read(ada, competition)).total).toBe(2)
    await settleBoards()
    expect((await read(ada, competition)).total).toBe(2)
  })

  describe('a column that a host made private', () => {
    const columns = { acc: {}, loss: {}, priv: { split: 'private' } } as const
    const scorer = { program: 'scorer', command: 'score', outputs: [{ path: 'a' }], columns }

    const makePrivate = ({ id }: TestCompetition) =>
      db.pool.query(
        `UPDATE competitions SET version = version + 1, board_version = board_version + 1,
                spec = jsonb_set(spec, '{scorer,columns,loss,split}', '"private"') WHERE id = $1`,
        [id],
      )

    it('is not shown of a stored board', async () => {
      const { competition, one, add } = await withTeams({ config: { scorer, phases: [frozenPhase()] } })
      await add(one, { acc: 0.5, loss: 0.321, priv: 0.1 }, { receivedAt: ago(2) })
      await settleBoards()
      expect(JSON.stringify(await read(ada, competition))).toContain('0.321')
      await makePrivate(competition)
      expect(JSON.stringify(await read(ada, competition))).not.toMatch(/loss|0\.321/)
    })

    it.each([
      ['a live', [openPhase()]],
      ['a stored', [frozenPhase()]],
    ])(
      'is not shown of %s board after a request that had found the competition before the change',
      async (_, phases) => {
        const { competition, one, add } = await withTeams({ config: { scorer, phases } })
        await add(one, { acc: 0.5, loss: 0.321, priv: 0.1 }, { receivedAt: ago(2) })
        await settleBoards()
        const found = await findCompetition(ada.actor, competition.slug)
        const phase = await findPhase(found, 'main')
        await makePrivate(competition)
        await findRanking(found, phase)
        expect(JSON.stringify(await read(ada, competition))).not.toMatch(/loss|0\.321/)
      },
    )
  })
})

describe('the reveal', () => {
  it('only a host reveals a board, after the end of the phase, and a second time changes nothing', async () => {
    const { competition, one, two, add } = await withTeams()
    const ta = await makePerson()
    await competition.join(ta, { role: 'ta' })
    await add(one, { acc: 0.9, priv: 0.1 })
    await add(two, { acc: 0.5, priv: 0.6 })
    for (const who of [ada, ta]) expect((await reveal(who, competition)).status).toBe(403)
    const early = await reveal(host, competition)
    expect([early.status, JSON.stringify(early.body)]).toEqual([409, expect.stringContaining('ends at')])
    await shift(competition, 25)
    expect(await reveal(host, competition)).toMatchObject({ status: 200, body: { revealed: true } })
    const board = await read(ada, competition)
    expect(ranksOf(board)).toEqual([
      ['two', 1],
      ['one', 2],
    ])
    expect(board.rows[0]?.values).toEqual({ acc: '0.500', priv: '0.600' })
    expect((await reveal(host, competition)).body).toEqual(await read(host, competition))
    const { rows } = await db.pool.query(
      `SELECT count(*)::int AS events FROM audit_events WHERE action = 'board_revealed' AND target = $1`,
      [`${competition.slug}/main`],
    )
    expect(rows).toEqual([{ events: 1 }])
  })

  it('a phase with reveal: end shows its final board once every entry has ended', async () => {
    const { competition, one, add } = await withTeams({
      config: { phases: [openPhase({ board: { rank: 'acc', final: 'priv', reveal: 'end' } })] },
    })
    const [entry] = await add(one, { acc: 0.9, priv: 0.1 }, { receivedAt: ago(30) })
    await settleBoards()
    expect((await read(ada, competition)).revealed).toBe(false)
    await shift(competition, 25)
    await db.pool.query(`UPDATE entries SET state = 'running', ended_at = NULL WHERE id = $1`, [entry])
    await settleBoards()
    expect((await read(ada, competition)).revealed).toBe(false)
    await db.pool.query(`UPDATE entries SET state = 'scored', ended_at = now() WHERE id = $1`, [entry])
    await settleBoards()
    expect(await read(ada, competition)).toMatchObject({
      revealed: true,
      rows: [{ values: { priv: '0.100' } }],
    })
  })

  it('a manual reveal does not happen by itself', async () => {
    const { competition, one, add } = await withTeams()
    await add(one, { acc: 0.9, priv: 0.1 })
    await shift(competition, 30)
    await settleBoards()
    expect((await read(ada, competition)).revealed).toBe(false)
  })
})

it('a token reads a board, and a revoked one ends the download of its CSV', async () => {
  const competition = await makeCompetition({ hosts: [host] })
  const { token, tokenId } = await makeToken(ada)
  const params = { id: competition.slug, phase: 'main' }
  expect((await call(boardRoutes.get, '/x', { token, params })).status).toBe(200)
  const request = new Request('http://localhost:8001/x', { headers: { authorization: `Bearer ${token}` } })
  const response = await boardRoutes.csv(request, { params: Promise.resolve(params) })
  await db.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [tokenId])
  await expect(response.text()).rejects.toThrow('has ended')
})

it('late entries are on no board, also one at the exact end, because they count for grades only', async () => {
  const { competition, one, two, add } = await withTeams()
  const end = ago(1)
  await add(one, { acc: 0.9, priv: 0.9 }, { receivedAt: end })
  await add(two, { acc: 0.5, priv: 0.5 }, { receivedAt: new Date(end.getTime() - 1) })
  await db.pool.query(
    "UPDATE competition_phases SET starts_at = $2::timestamptz - interval '2 hours', ends_at = $2 WHERE competition_id = $1",
    [competition.id, end],
  )
  await changeBoard(db.pool, competition.id)
  expect(ranksOf(await read(ada, competition))).toEqual([['two', 1]])
  expect(ranksOf(await read(host, competition))).toEqual([['two', 1]])
})
