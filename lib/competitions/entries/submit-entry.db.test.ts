import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { recordSchema } from '../../contract/output/records'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import type { ApiRoute } from '../../http/route'
import { jobRoutes } from '../../routes/jobs/jobs'
import { upload } from '../../routes/testing/upload'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { openPhase } from '../testing/competition-keys'
import { failEntry, scoreEntry, startEntry } from '../testing/entries'
import { enterCompetition } from './accept-entry'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, ada, bob, eve] = [] as unknown as [Person, Person, Person, Person]
beforeAll(async () => {
  host = await makePerson()
  ada = await makePerson()
  bob = await makePerson()
  eve = await makePerson()
  await db.pool.query(
    'UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000 WHERE id = $1',
    [eve.id],
  )
  // The first job creates an environment.
  await makeJob()
})

/** A competition with the team `eagles` of ada and bob. */
async function withEagles(phase: Parameters<typeof openPhase>[0] = {}): Promise<TestCompetition> {
  const competition = await makeCompetition({
    config: { team_max: 2, phases: [openPhase(phase)] },
    hosts: [host],
  })
  await competition.join(ada, { team: 'eagles' })
  await competition.join(bob, { team: 'eagles' })
  return competition
}

const submit = (
  person: Person,
  { slug }: Pick<TestCompetition, 'slug'>,
  config = '',
  ...more: [query?: string, headers?: Record<string, string>, signal?: AbortSignal]
) => upload(person, { competition: slug, config }, ...more)

async function count(table: 'entries' | 'jobs', { slug }: Pick<TestCompetition, 'slug'>): Promise<number> {
  const { rows } = await db.pool.query<{ found: number }>(
    table === 'jobs'
      ? 'SELECT count(*)::int AS found FROM jobs WHERE competition_id = $1'
      : 'SELECT count(*)::int AS found FROM entries e JOIN competitions c ON c.id = e.competition_id WHERE c.slug = $1',
    [slug],
  )
  return rows[0]?.found ?? 0
}

async function entryOf(id: unknown) {
  const { rows } = await db.pool.query('SELECT * FROM entries WHERE id = $1', [id])
  return rows[0]
}

describe('a submission with the competition_id of a competition', () => {
  it('a member who takes part sends an entry with everything that it will run with', async () => {
    const competition = await withEagles()
    const answer = await submit(ada, competition, 'name: first\nargs: --lr 0.1\n')
    expect(answer).toMatchObject({
      status: 202,
      body: {
        status: 'pending',
        stdout: expect.stringMatching(/^gpuq: .*\n$/),
        stderr: '',
        exit_code: null,
        rank: null,
        entry: {
          competition_id: competition.slug,
          phase: 'main',
          kind: 'entry',
          team: 'eagles',
          state: 'held',
        },
        quota: { per_day: { limit: 5, used: 1, left: 4 } },
      },
    })
    const { job_id: id } = answer.body
    expect(answer.headers.get('location')).toBe(`/api/entries/${id}`)
    expect(await count('jobs', competition)).toBe(0)
    expect(await entryOf(id)).toMatchObject({
      name: 'first',
      args: ['--lr', '0.1'],
      code: Buffer.from('print(1)'),
      mounts: { '/data/train': 'train@1', '/data/test': 'test@1' },
      labels: { '/labels/truth': 'truth@1' },
      scorer_id: competition.scorerId,
      spec: competition.config.phases[0],
      seed: createHmac('sha256', competition.secret).update(String(id)).digest('hex').slice(0, 16),
    })
  })

  it('the requests for status, result and cancellation of a job serve an entry, for its team and the staff only', async () => {
    const competition = await withEagles()
    const { job_id: id } = (await submit(ada, competition)).body
    const ask = ({ cookie }: Person, route: ApiRoute) =>
      call(route, '/x', {
        cookie,
        method: route.operation.method.toUpperCase(),
        params: { id: String(id) },
      })
    for (const route of [jobRoutes.get, jobRoutes.result]) {
      expect(await ask(bob, route)).toMatchObject({ status: 200, body: { job_id: id, status: 'pending' } })
      expect(await ask(eve, route)).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining('You have no job with this id') },
      })
    }
    expect((await ask(eve, jobRoutes.cancel)).status).toBe(404)
    expect(await ask(bob, jobRoutes.cancel)).toMatchObject({
      status: 200,
      body: { job_id: id, status: 'cancelled', quota: { per_day: { used: 0 } } },
    })
    expect((await ask(ada, jobRoutes.get)).body).toMatchObject({ status: 'cancelled', exit_code: 1 })
  })

  it('the result of an entry is a file of records and a text, as that of a job, after its end', async () => {
    const competition = await withEagles()
    const id = String((await submit(ada, competition)).body.job_id)
    const download = async (format: string) => {
      const request = new Request(`http://localhost:8001/x?format=${format}`, {
        headers: { cookie: bob.cookie, 'sec-fetch-site': 'same-origin' },
      })
      const response = await jobRoutes.result(request, { params: Promise.resolve({ id }) })
      return { status: response.status, text: await response.text() }
    }
    expect(await download('jsonl')).toMatchObject({
      status: 409,
      text: expect.stringContaining('has not ended'),
    })
    await startEntry(competition, id)
    await scoreEntry(competition, id, { acc: 0.5, priv: 0.25 })
    const records = (await download('jsonl')).text.trimEnd().split('\n')
    expect(records.map((record) => recordSchema.parse(JSON.parse(record)))).toMatchObject([
      { type: 'stdout', text: expect.stringMatching(/^gpuq: It is scored\. acc 0\.500,/) },
      { type: 'exit', status: 'completed', exit_code: 0 },
    ])
    expect(await download('text')).toMatchObject({ status: 200, text: expect.stringMatching(/^gpuq: .*\n$/) })
    expect(records.join('')).not.toContain('0.25')
  })

  it('a rehearsal reads the sample data in the place of the hidden data, and no labels', async () => {
    const competition = await withEagles()
    const { body } = await submit(ada, competition, 'rehearse: true\n')
    expect(await entryOf(body.job_id)).toMatchObject({
      kind: 'rehearsal',
      mounts: { '/data/train': 'train@1', '/data/test': 'sample@1' },
      labels: {},
    })
    expect(body.quota).toMatchObject({ per_day: { used: 0 } })
    for (const _ of [1, 2]) expect((await submit(bob, competition, 'rehearse: true\n')).status).toBe(202)
    expect(await submit(bob, competition, 'rehearse: true\n')).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('3 rehearsals that have not ended') },
    })
    const without = await withEagles({ rehearse: undefined })
    expect(await submit(ada, without, 'rehearse: true\n')).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'rehearse' }] },
    })
  })

  it('the staff sends baselines, which have no team and no quota', async () => {
    const competition = await withEagles({ quota: { total: 1 } })
    for (const _ of [1, 2])
      expect(await submit(host, competition)).toMatchObject({
        status: 202,
        body: { entry: { kind: 'baseline', team: host.handle }, quota: { total: null } },
      })
    expect((await submit(host, competition, 'rehearse: true\n')).status).toBe(422)
  })

  it('a submission of somebody who has not joined is a job as before, and a note says how to join', async () => {
    const competition = await withEagles()
    const answer = await submit(eve, competition, 'gpu_count: 0\n')
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'pending', competition_note: expect.stringContaining('Join on the page') },
    })
    expect(answer.body).not.toHaveProperty('entry')
    expect(await count('jobs', competition)).toBe(1)
    expect(await count('entries', competition)).toBe(0)
    for (const config of ['phase: main\n', 'rehearse: true\n'])
      expect(await submit(eve, competition, config)).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('is only for entries') },
      })
  })

  it('whoever creates a competition of a name, or does not show it, the printed commands with that name work as before', async () => {
    const before = await upload(eve, { competition: 'my-competition' })
    const hidden = await makeCompetition({
      config: { slug: 'my-competition', visibility: 'members' },
      hosts: [host],
    })
    const drafted = await makeCompetition({ config: { slug: 'test' }, hosts: [host], published: false })
    await drafted.join(eve)
    for (const { slug } of [hidden, drafted]) {
      const after = await upload(eve, { competition: slug })
      expect([before.status, after.status]).toEqual([202, 202])
      expect(Object.keys(after.body).sort()).toEqual(Object.keys(before.body).sort())
    }
    const dry = await upload(eve, { competition: 'my-competition' }, 'dry_run=true')
    expect(dry).toMatchObject({
      status: 200,
      body: { dry_run: true, text: expect.not.stringContaining('join') },
    })
  })
})

describe('the quota of a phase', () => {
  it('of fifty parallel submissions of two team mates for one place, one is admitted', async () => {
    const competition = await withEagles({ quota: { per_day: 1 } })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => submit(index % 2 ? ada : bob, competition)),
    )
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
    expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({
      code: 'quota_exceeded',
      detail: expect.stringContaining('Your team has sent 1 entries today'),
    })
    expect(await count('entries', competition)).toBe(1)
  })

  it('faults of gpuq and of the scoring program are free, own failures have a limit of their own', async () => {
    const competition = await withEagles({ quota: { per_day: 1, failures_per_day: 2 } })
    const next = async () => {
      const answer = await submit(ada, competition)
      expect(answer.status, JSON.stringify(answer.body)).toBe(202)
      return String(answer.body.job_id)
    }
    for (const cause of ['system', 'scorer', 'own_error', 'outputs'] as const)
      await failEntry(await next(), cause)
    expect(await submit(ada, competition)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('2 entries of your team have failed today') },
    })
  })

  it('an entry that is cancelled counts if its program has started', async () => {
    const competition = await withEagles({ quota: { total: 1 } })
    const cancel = (id: unknown) =>
      db.pool.query("UPDATE entries SET state = 'cancelled', ended_at = now() WHERE id = $1", [id])
    const first = await submit(ada, competition)
    await cancel(first.body.job_id)
    const second = await submit(ada, competition)
    expect(second.status).toBe(202)
    await startEntry(competition, String(second.body.job_id))
    await cancel(second.body.job_id)
    expect((await submit(ada, competition)).status).toBe(403)
  })

  it('no limit on jobs and no full queue refuses an entry of the last minutes', async () => {
    const competition = await withEagles({
      quota: { per_day: 100 },
      end: new Date(Date.now() + 600_000).toISOString(),
    })
    await db.pool.query(
      `UPDATE users SET submissions_per_minute = 1, max_active_jobs = 1, job_limits = '{"max_waiting_jobs": 1}' WHERE id = $1`,
      [ada.id],
    )
    await makeJob({ userId: ada.id })
    await db.pool.query('UPDATE policies SET max_queue_size = 0')
    const answers = await Promise.all(Array.from({ length: 60 }, () => submit(ada, competition)))
    await db.pool.query('UPDATE policies SET max_queue_size = 1000')
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(202))
  })
})

describe('an entry', () => {
  it('its time is that of its upload: it is in time although it is stored after the end, and late if it arrives at the end', async () => {
    const end = new Date(Date.now() - 60_000)
    const competition = await withEagles({ end: end.toISOString() })
    const request = {
      code: Buffer.from('print(1)'),
      sourceHash: Buffer.alloc(32),
      name: null,
      tags: [],
      args: [],
      phase: null,
      rehearse: false,
      idempotencyKey: null,
      bodyHash: Buffer.alloc(32),
      completedMs: 0,
    }
    const enter = (receivedAt: Date) =>
      transaction((tx) => enterCompetition(tx, ada.actor, competition.id, { ...request, receivedAt }))
    const { id } = await enter(new Date(end.getTime() - 1))
    expect((await entryOf(id)).received_at).toEqual(new Date(end.getTime() - 1))
    await expect(enter(end)).rejects.toThrow('It is too late.')
    expect(await submit(ada, competition)).toMatchObject({ status: 409 })
  })

  it('needs the terms to be accepted', async () => {
    const competition = await withEagles()
    await db.pool.query("UPDATE competitions SET terms = 'Be fair.' WHERE id = $1", [competition.id])
    expect(await submit(ada, competition)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('accept_terms: true') },
    })
    await db.pool.query(
      'UPDATE competition_members SET terms_accepted_at = now() WHERE competition_id = $1',
      [competition.id],
    )
    expect((await submit(ada, competition)).status).toBe(202)
  })

  it('repeated with the same Idempotency-Key it is one entry, and another one with that key is refused', async () => {
    const competition = await withEagles()
    const key = { 'idempotency-key': 'night-1' }
    // The body of a form has a new boundary each time, which does not matter.
    const answers = await Promise.all([1, 2, 3].map(() => submit(ada, competition, '', 'wait=false', key)))
    expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(1)
    expect(await submit(ada, competition, 'name: other\n', 'wait=false', key)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('used for another submission') },
    })
    await db.pool.query("UPDATE entries SET received_at = now() - interval '2 days' WHERE id = $1", [
      answers[0]?.body.job_id,
    ])
    expect((await submit(ada, competition, 'name: other\n', 'wait=false', key)).status).toBe(202)
    expect(await count('entries', competition)).toBe(2)
  })

  it('a dry run and a check say what would happen, and store nothing', async () => {
    const competition = await withEagles({ quota: { per_day: 1 } })
    expect(await submit(ada, competition, '', 'dry_run=true')).toMatchObject({
      status: 200,
      body: { dry_run: true, kind: 'entry', phase: 'main', quota: { per_day: { left: 0 } } },
    })
    expect(await count('entries', competition)).toBe(0)
    expect((await submit(ada, competition, '', 'wait=false&deduplicate=true')).status).toBe(422)
    expect((await submit(ada, competition, 'gpu_count: 4\n', 'dry_run=true')).status).toBe(422)
  })
})

describe('a submission of an entry that waits', () => {
  const waiting = async (competition: TestCompetition, signal?: AbortSignal) => {
    const answer = submit(ada, competition, '', 'wait=120', {}, signal)
    await expect.poll(() => count('entries', competition)).toBe(1)
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM entries WHERE competition_id = $1', [
      competition.id,
    ])
    return { answer, id: rows[0]?.id ?? '' }
  }

  it('answers after the score with the fields of a job, the rank and the quota', async () => {
    const competition = await withEagles()
    const { answer, id } = await waiting(competition)
    await startEntry(competition, id)
    await scoreEntry(competition, id, { acc: 0.98765, priv: 0.5 })
    expect(await answer).toMatchObject({
      status: 200,
      body: {
        job_id: id,
        status: 'completed',
        stdout: 'gpuq: It is scored. acc 0.988, rank 1, 4 of 5 entries left today.\n',
        stderr: '',
        exit_code: 0,
        results: [],
        entry: { state: 'scored', scores: { acc: '0.988' } },
        rank: 1,
        quota: { per_day: { left: 4 } },
      },
    })
  })

  it('a failed entry answers with exit code 1 and its cause, and with nothing that it printed', async () => {
    const competition = await withEagles()
    const { answer, id } = await waiting(competition)
    await startEntry(competition, id)
    await failEntry(id, 'own_error')
    const { body } = await answer
    expect(body).toMatchObject({
      status: 'failed',
      exit_code: 1,
      reason: 'own_error',
      stderr: '',
      rank: null,
    })
    expect(JSON.stringify(body)).not.toContain('A detail of')
  })

  it('a client that leaves changes nothing, and the entry is accepted', async () => {
    const competition = await withEagles()
    const leaving = new AbortController()
    const { answer, id } = await waiting(competition, leaving.signal)
    leaving.abort()
    expect(await answer).toMatchObject({ status: 202, body: { job_id: id, status: 'pending' } })
    expect(await entryOf(id)).toMatchObject({ state: 'held' })
  })
})

describe('an entry after the end of its phase', () => {
  const hourMs = 3_600_000
  const fromNow = (hours: number) => new Date(Date.now() + hours * hourMs)
  const late = { percent_per_day: 10, max_days: 1 }
  /** A competition of ada and bob whose phase ended some hours ago. */
  const endedFor = (hours: number, phase: Parameters<typeof openPhase>[0] = {}) =>
    withEagles({ start: fromNow(-200).toISOString(), end: fromNow(-hours).toISOString(), ...phase })
  const extend = ({ phases }: TestCompetition, { id }: Person, hours: number) =>
    db.pool.query(
      "INSERT INTO competition_extensions (phase_id, user_id, until, reason) VALUES ($1, $2, $3, 'ill')",
      [phases.main, id, fromNow(hours)],
    )

  it('is refused, and with a rule for late entries accepted for its days, and for the grace days of the team', async () => {
    expect(await submit(ada, await endedFor(2))).toMatchObject({ status: 409 })
    expect(await submit(ada, await endedFor(2, { late }))).toMatchObject({ status: 202 })
    const later = await endedFor(30, { late })
    expect(await submit(ada, later)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('and took late entries until') },
    })
    await db.pool.query(
      'UPDATE competition_members SET grace_days = 1 WHERE competition_id = $1 AND user_id = $2',
      [later.id, bob.id],
    )
    expect(await submit(ada, later)).toMatchObject({ status: 202 })
  })

  it('is accepted until the extension of a member of the team, also without a rule for late entries', async () => {
    const competition = await endedFor(50)
    await extend(competition, bob, -1)
    expect(await submit(ada, competition)).toMatchObject({ status: 409 })
    await db.pool.query('UPDATE competition_extensions SET until = $2 WHERE phase_id = $1', [
      competition.phases.main,
      fromNow(1),
    ])
    expect(await submit(ada, competition)).toMatchObject({ status: 202 })
  })

  it('is refused after the reveal, because it could be made of the private scores that everybody sees then', async () => {
    const competition = await endedFor(2, { late })
    await extend(competition, ada, 5)
    await db.pool.query('UPDATE competition_phases SET revealed_at = now() WHERE id = $1', [
      competition.phases.main,
    ])
    expect(await submit(ada, competition)).toMatchObject({ status: 409 })
  })
})
