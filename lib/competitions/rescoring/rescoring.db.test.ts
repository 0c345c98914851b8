import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { diskStore } from '../../storage/disk'
import { setStorage } from '../../storage/storage'
import { boardRoutes } from '../boards/routes'
import { settleBoards } from '../boards/settle-boards'
import { type RescoreDetail, rescoreDetailSchema, rescoreSchema } from '../contract-rescores'
import { entryRoutes } from '../entries/routes'
import { endScoring } from '../scoring/end-scoring'
import { followEntries } from '../scoring/follow-entries'
import { releaseEntries } from '../scoring/release-entries'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { competitionKeys, openPhase } from '../testing/competition-keys'
import { endWaitingJob } from '../testing/ended-jobs'
import { failEntry } from '../testing/entries'
import { holdEntry } from '../testing/held-entries'
import { insertScored } from '../testing/scored-entries'
import { addScorer, storeOutputs } from '../testing/stored-outputs'
import { followRescores } from './follow-rescores'
import { rescoreRoutes } from './routes'
import { startRescoring } from './start-rescoring'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let directory: string
let [host, ada, bob] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-rescoring-'))
  setStorage(diskStore(directory))
  ;[host, ada, bob] = [await makePerson(), await makePerson(), await makePerson()]
})
afterAll(() => rm(directory, { recursive: true }))

const inPhase = ({ slug }: TestCompetition) => ({ id: slug, phase: 'main' })

const create = (competition: TestCompetition, who = host) =>
  call(rescoreRoutes.create, '/x', { method: 'POST', cookie: who.cookie, params: inPhase(competition) })

async function made(competition: TestCompetition): Promise<string> {
  const { status, body } = await create(competition)
  expect(status, JSON.stringify(body)).toBe(201)
  return rescoreSchema.parse(body).id
}

const get = (id: string, who = host, query = '') =>
  call(rescoreRoutes.get, `/x${query}`, { cookie: who.cookie, params: { id } })

async function read(id: string): Promise<RescoreDetail> {
  const { status, body } = await get(id)
  expect(status, JSON.stringify(body)).toBe(200)
  return rescoreDetailSchema.parse(body)
}

const end = (what: 'apply' | 'discard', id: string, who = host) =>
  call(rescoreRoutes[what], '/x', { method: 'POST', cookie: who.cookie, params: { id } })

async function board(competition: TestCompetition, who = host): Promise<string> {
  const { status, body } = await call(boardRoutes.get, '/x', {
    cookie: who.cookie,
    params: inPhase(competition),
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return JSON.stringify(body)
}

/** All that the leader does, until nothing changes. */
async function lead(): Promise<void> {
  while (await releaseEntries());
  await followEntries()
  while (await endScoring());
  await followRescores()
  while (await startRescoring());
}

interface WaitingJob {
  id: string
  /** Null: it scores nothing. */
  entry: string | null
  command: string | null
}

/** The jobs of the queue, the oldest first. */
async function waitingJobs({ projectId }: TestCompetition): Promise<WaitingJob[]> {
  const { rows } = await db.pool.query<WaitingJob>(
    `SELECT j.id, j.command, r.entry_id AS entry FROM jobs j LEFT JOIN score_runs r ON r.job_id = j.id
      WHERE j.project_id = $1 AND j.status = 'pending' ORDER BY j.created_at, j.id`,
    [projectId],
  )
  return rows
}

type Scores = Record<string, number>
const file = (scores: Scores) => ({ 'scores.json': JSON.stringify(scores) })

/** Leads, and ends the jobs of scoring programs with these scores; null: the program fails. */
async function score(
  competition: TestCompetition,
  scoresOf: (entry: string) => Scores | null,
): Promise<{ jobs: WaitingJob[]; mostAtOnce: number }> {
  const jobs: WaitingJob[] = []
  let mostAtOnce = 0
  for (;;) {
    await lead()
    const waiting = await waitingJobs(competition)
    if (waiting.length === 0) return { jobs, mostAtOnce }
    mostAtOnce = Math.max(mostAtOnce, waiting.length)
    for (const job of waiting) {
      const scores = scoresOf(job.entry ?? '')
      await endWaitingJob(
        job.id,
        scores === null ? {} : file(scores),
        scores === null ? 'exit_code' : 'finished',
      )
      jobs.push(job)
    }
  }
}

/** A competition with the teams `one` of ada and `two` of bob, and an entry of each with stored outputs. */
async function scoredCompetition(
  config: Parameters<typeof makeCompetition>[0] = {},
  receivedAt = new Date(),
) {
  const competition = await makeCompetition({ hosts: [host], ...config })
  const one = (await competition.join(ada, { team: 'one' })) ?? ''
  const two = (await competition.join(bob, { team: 'two' })) ?? ''
  const [first = '', second = ''] = await insertScored(competition, [
    { teamId: one, userId: ada.id, scores: { acc: 0.9, priv: 0.1 }, receivedAt },
    { teamId: two, userId: bob.id, scores: { acc: 0.8, priv: 0.2 }, receivedAt },
  ])
  await storeOutputs(competition, [first, second])
  const better = (entry: string) => (entry === second ? { acc: 0.95, priv: 0.3 } : { acc: 0.7, priv: 0.4 })
  return { competition, one, two, first, second, better }
}

async function runsOf(
  rescoreId: string,
): Promise<{ state: string; failure: string | null; faults: number }[]> {
  const { rows } = await db.pool.query(
    'SELECT state, failure, faults FROM score_runs WHERE rescore_id = $1 ORDER BY created_at, id',
    [rescoreId],
  )
  return rows
}

describe('a set over the stored outputs of 1,000 entries', () => {
  it('starts 1,000 scoring programs in the places of the competition and no program of an entry, and leaves the board as it was after it is discarded', async () => {
    const { competition, one, two } = await scoredCompetition({ config: { parallel: 100 } })
    const given = Array.from({ length: 998 }, (_, index) => ({
      teamId: index % 2 === 0 ? one : two,
      userId: ada.id,
      scores: { acc: index / 2000, priv: 0 },
    }))
    await storeOutputs(competition, await insertScored(competition, given))
    const before = [await board(competition), await board(competition, ada)]
    const entries = async () =>
      (await db.pool.query('SELECT * FROM entries WHERE competition_id = $1 ORDER BY id', [competition.id]))
        .rows
    const rows = await entries()
    await addScorer(competition)
    const id = await made(competition)
    const { jobs, mostAtOnce } = await score(competition, () => ({ acc: 0.5, priv: 0.5 }))
    expect(jobs).toHaveLength(1000)
    expect(new Set(jobs.map(({ entry }) => entry)).size).toBe(1000)
    expect(mostAtOnce).toBe(100)
    const { rows: programs } = await db.pool.query(
      'SELECT command, program_hash FROM jobs WHERE id = ANY ($1::uuid[]) GROUP BY 1, 2',
      [jobs.map((job) => job.id)],
    )
    expect(programs).toEqual([{ command: 'python score.py', program_hash: null }])
    expect(await read(id)).toMatchObject({
      state: 'ready',
      scorer_version: 2,
      labels: { truth: 'truth@1' },
      progress: { entries: 1000, waiting: 0, running: 0, scored: 1000, failed: 0 },
      preview: { total: 2, unchanged: 0 },
    })
    expect((await end('discard', id)).status).toBe(200)
    await lead()
    expect([await board(competition), await board(competition, ada)]).toEqual(before)
    expect(await entries()).toEqual(rows)
    expect((await runsOf(id)).every(({ state }) => state === 'scored')).toBe(true)
  })
})

describe('a set that is ready', () => {
  it('shows who moves, changes the board only when it is applied, and then in one step', async () => {
    const { competition, first, second, better } = await scoredCompetition()
    const before = await board(competition, ada)
    await addScorer(competition)
    const id = await made(competition)
    expect((await read(id)).preview).toBeNull()
    await score(competition, better)
    const { preview, failures } = await read(id)
    expect(failures).toEqual([])
    expect(preview).toMatchObject({
      rank_by: 'acc',
      total: 2,
      rows: [
        {
          team: 'two',
          rank: { before: 2, after: 1 },
          values: { before: { acc: '0.800', priv: '0.200' }, after: { acc: '0.950', priv: '0.300' } },
        },
        { team: 'one', rank: { before: 1, after: 2 } },
      ],
    })
    expect(await board(competition, ada)).toBe(before)
    const { body, status } = await end('apply', id)
    expect([status, body]).toMatchObject([200, { state: 'applied' }])
    const after = JSON.parse(await board(competition, ada))
    expect(after.rows).toMatchObject([
      { team: 'two', rank: 1, values: { acc: '0.950' } },
      { team: 'one', rank: 2, values: { acc: '0.700' } },
    ])
    for (const entry of [first, second]) {
      const { body: detail } = await call(entryRoutes.get, '/x', {
        cookie: host.cookie,
        params: { id: entry },
      })
      expect(detail).toMatchObject({
        state: 'scored',
        provenance: { scorer_version: 2, data: { truth: 'truth@1' } },
      })
    }
    expect((await read(id)).preview).toBeNull()
    const { body: sets } = await call(rescoreRoutes.list, '/x', {
      cookie: host.cookie,
      params: inPhase(competition),
    })
    expect(sets).toMatchObject([{ id, state: 'applied', created_by: host.handle }])
  })

  it('scores an entry whose scoring program had failed, and keeps the score of one whose new run fails', async () => {
    const { competition, first, second, one } = await scoredCompetition()
    const failed = await holdEntry(competition, { userId: ada.id, teamId: one })
    await db.pool.query(`UPDATE entries SET code = '' WHERE id = $1`, [failed])
    await storeOutputs(competition, [failed])
    await failEntry(failed, 'scorer')
    await db.pool.query('DELETE FROM artifacts WHERE job_id = (SELECT job_id FROM entries WHERE id = $1)', [
      second,
    ])
    const id = await made(competition)
    await score(competition, (entry) => (entry === failed ? { acc: 0.99, priv: 0 } : null))
    const { state, failures, progress } = await read(id)
    expect([state, progress]).toMatchObject(['ready', { entries: 3, scored: 1, failed: 2 }])
    expect(failures).toMatchObject([
      { entry_id: first, team: 'one', keeps: true, message: expect.stringContaining('ended with an error') },
      { entry_id: second, team: 'two', keeps: true, message: expect.stringContaining('/results/pred.csv') },
    ])
    expect((await end('apply', id)).status).toBe(200)
    expect(JSON.parse(await board(competition)).rows).toMatchObject([
      { team: 'one', entries: 2, values: { acc: '0.990' } },
      { team: 'two', entries: 1, values: { acc: '0.800' } },
    ])
    const { rows } = await db.pool.query('SELECT state, cause, detail FROM entries WHERE id = $1', [failed])
    expect(rows).toEqual([{ state: 'scored', cause: null, detail: null }])
  })

  it('two hosts apply it at once: it is applied once, and a third one cannot discard it', async () => {
    const { competition, better } = await scoredCompetition()
    const other = await makePerson()
    await competition.join(other, { role: 'host' })
    const id = await made(competition)
    await score(competition, better)
    const version = async () =>
      (await db.pool.query('SELECT board_version FROM competitions WHERE id = $1', [competition.id])).rows[0]
        .board_version
    const before = await version()
    const answers = await Promise.all([end('apply', id), end('apply', id, other), end('apply', id)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await version()).toBe(before + 1)
    const { rows } = await db.pool.query(
      `SELECT count(*)::int AS events FROM audit_events WHERE action = 'rescore_applied' AND target = $1`,
      [`${competition.slug}/main`],
    )
    expect(rows).toEqual([{ events: 1 }])
    expect((await end('discard', id)).status).toBe(409)
  })
})

describe('a set under a freeze', () => {
  const hour = 3_600_000
  const ago = (hours: number) => new Date(Date.now() - hours * hour)

  it('leaves the frozen board byte for byte, is not applied before that board is stored, and changes the live board', async () => {
    const phase = openPhase({
      start: ago(48).toISOString(),
      board: { rank: 'acc', final: 'priv', freeze: ago(1).toISOString() },
    })
    const { competition, better } = await scoredCompetition({ config: { phases: [phase] } }, ago(2))
    const unstored = JSON.parse(await board(competition, ada))
    const live = await board(competition)
    const id = await made(competition)
    await score(competition, better)
    expect(await end('apply', id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('frozen') },
    })
    await settleBoards()
    const stored = async () =>
      (
        await db.pool.query('SELECT board::text FROM board_snapshots WHERE phase_id = $1', [
          competition.phases.main,
        ])
      ).rows
    const kept = await stored()
    expect(kept).toHaveLength(1)
    const frozen = await board(competition, ada)
    expect(JSON.parse(frozen)).toEqual(unstored)
    expect((await end('apply', id)).status).toBe(200)
    await settleBoards()
    expect(await stored()).toEqual(kept)
    expect(await board(competition, ada)).toBe(frozen)
    expect(await board(competition)).not.toBe(live)
  })
})

describe('a set that runs', () => {
  it('starts nothing while an entry waits, and its jobs take places of the competition', async () => {
    const { competition, one, better } = await scoredCompetition({ config: { parallel: 1 } })
    const id = await made(competition)
    const early = await holdEntry(competition, { userId: ada.id, teamId: one })
    await lead()
    const [job] = await waitingJobs(competition)
    expect(job).toMatchObject({ entry: null, command: null })
    expect((await read(id)).progress).toMatchObject({ waiting: 2, running: 0 })
    await endWaitingJob(job?.id ?? '', {}, 'exit_code')
    await lead()
    expect(await waitingJobs(competition)).toMatchObject([{ command: 'python score.py' }])
    const late = await holdEntry(competition, { userId: ada.id, teamId: one })
    await lead()
    expect(await waitingJobs(competition)).toHaveLength(1)
    const { rows } = await db.pool.query(
      'SELECT id, state FROM entries WHERE id = ANY ($1::uuid[]) ORDER BY id',
      [[early, late]],
    )
    expect(rows).toEqual([
      { id: early, state: 'failed' },
      { id: late, state: 'held' },
    ])
    const [rescoring] = await waitingJobs(competition)
    await endWaitingJob(rescoring?.id ?? '', file(better('')))
    await lead()
    await lead()
    expect(await waitingJobs(competition)).toMatchObject([{ command: null }])
  })

  it('awaits an entry that was sent before with an older scoring program, and scores it again too', async () => {
    const { competition, one, better } = await scoredCompetition()
    const older = await holdEntry(competition, { userId: ada.id, teamId: one })
    await lead()
    const newest = await addScorer(competition)
    const newer = await holdEntry({ ...competition, scorerId: newest }, { userId: ada.id, teamId: one })
    const id = await made(competition)
    await lead()
    for (const job of await waitingJobs(competition))
      if (job.entry !== null) await endWaitingJob(job.id, file(better(job.entry)))
    await lead()
    expect(await read(id)).toMatchObject({
      state: 'running',
      awaited: 1,
      progress: { entries: 2, scored: 2 },
    })
    expect((await end('apply', id)).status).toBe(409)
    const programs = (await waitingJobs(competition)).filter(({ entry }) => entry === null)
    for (const { id: job } of programs) await endWaitingJob(job, { 'pred.csv': '1' })
    await score(competition, () => ({ acc: 0.6, priv: 0 }))
    expect(await read(id)).toMatchObject({ state: 'ready', awaited: 0, progress: { entries: 3, scored: 3 } })
    expect((await end('apply', id)).status).toBe(200)
    const { rows } = await db.pool.query(
      `SELECT e.id, r.scorer_id = $2 AS newest, r.rescore_id AS set FROM entries e JOIN score_runs r ON r.id = e.score_run_id
        WHERE e.id = ANY ($1::uuid[]) ORDER BY e.id`,
      [[older, newer], newest],
    )
    expect(rows).toEqual([
      { id: older, newest: true, set: id },
      { id: newer, newest: true, set: null },
    ])
  })

  it('cannot be applied once there is a newer scoring program', async () => {
    const { competition, better } = await scoredCompetition()
    const id = await made(competition)
    await score(competition, better)
    await addScorer(competition)
    await lead()
    expect(await read(id)).toMatchObject({ state: 'ready', outdated: true, awaited: 0 })
    expect(await end('apply', id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('newer scoring program') },
    })
    expect((await end('discard', id)).status).toBe(200)
    expect((await create(competition)).status).toBe(201)
  })

  it('a run that ends by faults of gpuq is started again, and fails after several', async () => {
    const { competition, first } = await scoredCompetition()
    const id = await made(competition)
    const jobs = new Set<string>()
    for (let round = 0; (await read(id)).state === 'running' && round < 20; round++) {
      await lead()
      for (const job of await waitingJobs(competition)) {
        if (job.entry === first) jobs.add(job.id)
        await endWaitingJob(job.id, {}, job.entry === first ? 'node_lost' : 'exit_code')
      }
      await lead()
    }
    expect(jobs.size).toBe(5)
    expect(await read(id)).toMatchObject({ state: 'ready', progress: { failed: 2 } })
  })

  it('a program for Codabench that is started again reads the labels and the inputs at the same paths', async () => {
    const scorer = { ...competitionKeys().scorer, format: 'codabench' } as const
    const { competition, first } = await scoredCompetition({ config: { scorer } })
    await db.pool.query(`UPDATE entries SET mounts = '{"/data/test": "test@1"}' WHERE id = $1`, [first])
    await made(competition)
    const pathsOfRound = async () => {
      await lead()
      const job = (await waitingJobs(competition)).find(({ entry }) => entry === first)?.id ?? ''
      const { rows } = await db.pool.query<{ path: string }>(
        'SELECT path FROM job_mounts WHERE job_id = $1 ORDER BY path',
        [job],
      )
      await endWaitingJob(job, {}, 'node_lost')
      return rows.map(({ path }) => path)
    }
    const paths = ['/app/input/ref', '/inputs/test']
    expect([await pathsOfRound(), await pathsOfRound()]).toEqual([paths, paths])
  })

  it('is discarded: its waiting runs end, its jobs are cancelled, and none starts again', async () => {
    const { competition } = await scoredCompetition({ config: { parallel: 1 } })
    const before = await board(competition)
    const id = await made(competition)
    await lead()
    const [job] = await waitingJobs(competition)
    expect((await end('discard', id)).status).toBe(200)
    await lead()
    await lead()
    const { rows } = await db.pool.query('SELECT status, reason FROM jobs WHERE id = $1', [job?.id])
    expect(rows).toEqual([{ status: 'cancelled', reason: 'cancelled_by_manager' }])
    expect(await waitingJobs(competition)).toEqual([])
    expect((await runsOf(id)).map(({ state }) => state)).toEqual(['failed', 'failed'])
    expect(await board(competition)).toBe(before)
    expect((await end('apply', id)).status).toBe(409)
    expect((await end('discard', id)).status).toBe(200)
  })

  it('two leaders and a host who discards it at once: no run keeps waiting or running', async () => {
    const { competition } = await scoredCompetition({ config: { parallel: 2 } })
    for (let round = 0; round < 5; round++) {
      const id = await made(competition)
      await Promise.all([lead(), end('discard', id), lead()])
      await lead()
      await lead()
      expect((await runsOf(id)).map(({ state }) => state)).toEqual(['failed', 'failed'])
      expect(await waitingJobs(competition)).toEqual([])
    }
  })
})

describe('who may score again', () => {
  it('hosts and admins may; TAs, instructors and participants are refused, and to others nothing exists', async () => {
    const { competition } = await scoredCompetition({ config: { visibility: 'members' } })
    const [ta, instructor, outsider] = [await makePerson(), await makePerson(), await makePerson()]
    await competition.join(ta, { role: 'ta' })
    await competition.join(instructor, { role: 'instructor' })
    const id = await made(competition)
    const statuses = async (who: Person) => [
      (await create(competition, who)).status,
      (await call(rescoreRoutes.list, '/x', { cookie: who.cookie, params: inPhase(competition) })).status,
      (await get(id, who)).status,
      (await end('apply', id, who)).status,
      (await end('discard', id, who)).status,
    ]
    for (const who of [ta, instructor, ada]) expect(await statuses(who)).toEqual([403, 403, 403, 403, 403])
    expect(await statuses(outsider)).toEqual([404, 404, 404, 404, 404])
    expect((await get('unknown')).status).toBe(404)
    expect(await statuses(await makePerson('admin'))).toEqual([409, 200, 200, 409, 200])
  })

  it('a phase has one open set, and nothing to score without entries', async () => {
    const { competition } = await scoredCompetition()
    const answers = await Promise.all([create(competition), create(competition), create(competition)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const empty = await makeCompetition({ hosts: [host] })
    expect(await create(empty)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('nothing to score again') },
    })
  })
})
