import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { makeUser } from '../../cluster/testing/rows'
import type { EndReason } from '../../contract/reasons'
import { listener } from '../../database/listen'
import { testDatabase } from '../../database/testing/test-database'
import { diskStore } from '../../storage/disk'
import { setStorage } from '../../storage/storage'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { endWaitingJob, leaveFile } from '../testing/ended-jobs'
import { type HeldEntryOptions, holdEntry } from '../testing/held-entries'
import { endScoring } from './end-scoring'
import { followEntries } from './follow-entries'
import { releaseEntries } from './release-entries'
import { stopDisqualified } from './stop-disqualified'

const db = testDatabase()
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-scoring-'))
  setStorage(diskStore(directory))
})
afterAll(() => rm(directory, { recursive: true }))

let competition: TestCompetition
let [ada, bob] = [] as unknown as [Participant, Participant]
beforeEach(async () => {
  competition = await makeCompetition()
  ;[ada, bob] = [await participant(), await participant()]
})

type Participant = Pick<HeldEntryOptions, 'userId' | 'teamId'>

async function participant(): Promise<Participant> {
  const userId = await makeUser()
  return { userId, teamId: await competition.join({ id: userId }) }
}

const hold = (who: Participant = ada, options: Partial<HeldEntryOptions> = {}) =>
  holdEntry(competition, { ...who, ...options })

/** All that the leader does, until nothing changes. */
async function lead(): Promise<void> {
  while (await releaseEntries());
  await followEntries()
  await endScoring()
  await stopDisqualified()
}

interface EntryRow {
  state: string
  cause: string | null
  detail: string | null
  job: string | null
  run: string | null
  code: string
  scores: unknown
}

async function entry(id: string): Promise<EntryRow> {
  const { rows } = await db.pool.query<EntryRow>(
    `SELECT e.state, e.cause, e.detail, e.job_id AS job, e.score_run_id AS run, convert_from(e.code, 'UTF8') AS code, r.scores
       FROM entries e LEFT JOIN score_runs r ON r.id = e.score_run_id WHERE e.id = $1`,
    [id],
  )
  const [row] = rows
  if (!row) throw new Error(`There is no entry ${id}.`)
  return row
}

async function jobOf(id: string): Promise<string> {
  return (await entry(id)).job ?? ''
}

/** The last job that scores an entry. */
async function scoringJobOf(id: string): Promise<string> {
  const { rows } = await db.pool.query<{ job: string }>(
    'SELECT job_id AS job FROM score_runs WHERE entry_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
    [id],
  )
  return rows[0]?.job ?? ''
}

/** Ends a job without a worker, with the files that it left. */
async function end(jobId: string, files?: Record<string, string>, reason?: EndReason): Promise<void> {
  expect(await endWaitingJob(jobId, files, reason)).toBe(true)
}

/** An entry whose scoring program waits in the queue. */
async function entryToScore(options: Partial<HeldEntryOptions> = {}): Promise<string> {
  const id = await hold(ada, options)
  await lead()
  await end(await jobOf(id), { 'pred.csv': '1' })
  await lead()
  return id
}

const scores = { acc: 0.5, priv: 0.25 }
const good = { 'scores.json': JSON.stringify(scores) }

describe('an entry that waits', () => {
  it('gets a job of the account of the competition, with what the phase and the entry pin, and without anything of the participant', async () => {
    const id = await hold(ada, { code: 'print(1)', args: ['--fast'] })
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'running', code: '', detail: null })
    const { rows } = await db.pool.query(
      `SELECT j.user_id, j.project_id, j.competition_id, j.priority, j.max_retries, j.time_limit_s, j.workspace, j.archive_id,
              convert_from(p.content, 'UTF8') AS code, j.spec, j.token_id, j.command
         FROM jobs j JOIN programs p ON p.hash = j.program_hash WHERE j.id = $1`,
      [await jobOf(id)],
    )
    expect(rows).toEqual([
      {
        user_id: competition.serviceUserId,
        project_id: competition.projectId,
        competition_id: competition.slug,
        priority: 0,
        max_retries: 2,
        time_limit_s: 1800,
        workspace: null,
        archive_id: null,
        token_id: null,
        command: null,
        code: 'print(1)',
        spec: expect.objectContaining({
          gpu_count: 1,
          args: ['--fast'],
          retry_on: [],
          env: { GPUQ_SEED: `seed of ${id}` },
          mounts: { '/data/train': 'train@1', '/data/test': 'test@1' },
        }),
      },
    ])
  })

  it('waits while as many entries as the competition permits run or are scored', async () => {
    competition = await makeCompetition({ config: { parallel: 2 } })
    ada = await participant()
    const ids = [await hold(), await hold(), await hold()]
    await lead()
    const states = () => Promise.all(ids.map(async (id) => (await entry(id)).state))
    expect(await states()).toEqual(['running', 'running', 'held'])
    const [first = ''] = ids
    await end(await jobOf(first), { 'pred.csv': '1' })
    await lead()
    expect(await states()).toEqual(['scoring', 'running', 'held'])
    await end(await scoringJobOf(first), good)
    await lead()
    await lead()
    expect(await states()).toEqual(['scored', 'running', 'running'])
  })

  it('comes after the only entry of another team, although its own team has sent many before', async () => {
    competition = await makeCompetition({ config: { parallel: 1 } })
    ;[ada, bob] = [await participant(), await participant()]
    const early = (minutes: number) => ({ receivedAt: new Date(Date.now() - minutes * 60_000) })
    const [first, second] = [await hold(ada, early(9)), await hold(ada, early(8))]
    const other = await hold(bob, early(1))
    await lead()
    expect(await entry(first)).toMatchObject({ state: 'running' })
    await end(await jobOf(first), {}, 'exit_code')
    await lead()
    await lead()
    expect(await entry(other)).toMatchObject({ state: 'running' })
    expect(await entry(second)).toMatchObject({ state: 'held' })
  })

  it('is not refused by a full queue: it waits, the staff can read why, and it runs later', async () => {
    onTestFinished(async () => void (await db.pool.query('UPDATE policies SET max_queue_size = 1000')))
    await db.pool.query('UPDATE policies SET max_queue_size = 0')
    const id = await hold(ada, { code: 'print(1)' })
    await lead()
    expect(await entry(id)).toMatchObject({
      state: 'held',
      code: 'print(1)',
      detail: expect.stringContaining('max_queue_size'),
    })
    await db.pool.query('UPDATE policies SET max_queue_size = 1000')
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'running', detail: null })
  })

  it('has an environment that was deleted: it fails as a fault of the system, keeps its program, and others go on', async () => {
    const id = await hold(ada, { code: 'print(1)' })
    await db.pool.query(
      `UPDATE entries SET spec = jsonb_set(spec, '{run,environment}', '"gone"') WHERE id = $1`,
      [id],
    )
    const other = await hold(bob)
    await lead()
    expect(await entry(id)).toMatchObject({
      state: 'failed',
      cause: 'system',
      code: 'print(1)',
      detail: expect.stringContaining('there is no environment "gone"'),
    })
    expect(await entry(other)).toMatchObject({ state: 'running' })
  })

  it('has a value that this version of gpuq does not accept: it fails as a fault of the system, and others go on', async () => {
    const id = await hold()
    await db.pool.query(`UPDATE entries SET spec = jsonb_set(spec, '{run,gpu_count}', '99') WHERE id = $1`, [
      id,
    ])
    const other = await hold(bob)
    await lead()
    expect(await entry(id)).toMatchObject({
      state: 'failed',
      cause: 'system',
      detail: expect.stringContaining('gpu_count'),
    })
    expect(await entry(other)).toMatchObject({ state: 'running' })
  })

  it('is disqualified: it leaves the queue and keeps its program', async () => {
    const id = await hold(ada, { code: 'print(1)' })
    await disqualify(id)
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'cancelled', code: 'print(1)', job: null })
  })
})

async function disqualify(id: string): Promise<void> {
  await db.pool.query(
    `UPDATE entries SET disqualified_at = now(), disqualified_why = 'copied' WHERE id = $1`,
    [id],
  )
}

describe('an entry whose program has ended', () => {
  it('is scored by a job that reads its outputs, the labels and the data, and has nothing of its program', async () => {
    const id = await entryToScore({ code: 'print("the program")' })
    expect(await entry(id)).toMatchObject({ state: 'scoring' })
    const { rows } = await db.pool.query(
      `SELECT j.user_id, j.project_id, j.command, j.program_hash, j.spec, r.state, r.labels
         FROM score_runs r JOIN jobs j ON j.id = r.job_id WHERE r.entry_id = $1`,
      [id],
    )
    const mounts = { '/labels/truth': 'truth@1', '/inputs/train': 'train@1', '/inputs/test': 'test@1' }
    expect(rows).toEqual([
      {
        user_id: competition.serviceUserId,
        project_id: competition.projectId,
        command: 'python score.py',
        program_hash: null,
        state: 'queued',
        labels: mounts,
        spec: expect.objectContaining({
          archive: 'scorer@1',
          gpu_count: 0,
          env: { GPUQ_SCORES: '/results/scores.json' },
          mounts,
        }),
      },
    ])
  })

  it.each([
    ['exit_code', 'own_error'],
    ['timeout', 'time'],
    ['out_of_memory', 'memory'],
    ['node_lost', 'system'],
  ] as const)('by %s: it fails with the cause %s, and nothing is scored', async (reason, cause) => {
    const id = await hold()
    await lead()
    await end(await jobOf(id), { 'pred.csv': '1' }, reason)
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'failed', cause })
    expect(await scoringJobOf(id)).toBe('')
  })

  it('without a declared output: it fails with the cause outputs', async () => {
    const id = await hold()
    await lead()
    await end(await jobOf(id), { 'other.csv': '1', 'scores.json': '{"acc": 1, "priv": 1}' })
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'failed', cause: 'outputs', run: null })
    expect((await entry(id)).detail).toContain('/results/pred.csv')
  })

  it('without an output that had no place in the storage: it is a fault of the system', async () => {
    const id = await hold()
    await lead()
    await db.pool.query('UPDATE projects SET storage_quota_gib = 0.00001 WHERE id = $1', [
      competition.projectId,
    ])
    await end(await jobOf(id))
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'failed', cause: 'system' })
    expect((await entry(id)).detail).toContain('has stored')
  })

  it('a rehearsal that completed with its outputs ends without scores', async () => {
    const [complete, incomplete] = [
      await hold(ada, { kind: 'rehearsal' }),
      await hold(ada, { kind: 'rehearsal' }),
    ]
    await lead()
    await end(await jobOf(complete), { 'pred.csv': '1' })
    await end(await jobOf(incomplete))
    await lead()
    expect(await entry(complete)).toMatchObject({ state: 'scored', run: null })
    expect(await entry(incomplete)).toMatchObject({ state: 'failed', cause: 'outputs' })
  })

  it('because a manager cancelled its job: it is cancelled', async () => {
    const id = await hold()
    await lead()
    await end(await jobOf(id), {}, 'cancelled_by_manager')
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'cancelled' })
  })

  it('because it was disqualified: its job is cancelled, and its outputs are kept', async () => {
    const id = await hold()
    await lead()
    await leaveFile(await jobOf(id), 'pred.csv', '1')
    await disqualify(id)
    await lead()
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'cancelled', code: '' })
    const { rows } = await db.pool.query('SELECT status, reason FROM jobs WHERE id = $1', [await jobOf(id)])
    expect(rows).toEqual([{ status: 'cancelled', reason: 'cancelled_by_manager' }])
    expect(
      (await db.pool.query('SELECT 1 FROM artifacts WHERE job_id = $1', [await jobOf(id)])).rowCount,
    ).toBe(1)
  })
})

describe('an entry whose scoring program has ended', () => {
  const board = async () => {
    const { rows } = await db.pool.query<{ version: number }>(
      'SELECT board_version AS version FROM competitions WHERE id = $1',
      [competition.id],
    )
    return rows[0]?.version ?? 0
  }

  it('has the scores of its file, and the board changes with them', async () => {
    const id = await entryToScore()
    const before = await board()
    await end(await scoringJobOf(id), good)
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'scored', scores, detail: null })
    expect(await board()).toBeGreaterThan(before)
  })

  it('has ended: those who wait for it are told', async () => {
    const id = await entryToScore()
    const told: (string | null)[] = []
    const stop = await listener().listen('job', (payload) => told.push(payload))
    await end(await scoringJobOf(id), good)
    await lead()
    await expect.poll(() => told).toContain(id)
    stop()
  })

  it('of a baseline: it has scores too', async () => {
    const id = await entryToScore({ teamId: null })
    await end(await scoringJobOf(id), good)
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'scored', scores })
  })

  it.each([
    ['NaN', '{"acc": NaN, "priv": 0}'],
    ['an infinite score', '{"acc": 1e999, "priv": 0}'],
    ['a missing column', '{"acc": 1}'],
    ['an extra column', '{"acc": 1, "priv": 0, "bonus": 9}'],
    ['a text for a score', '{"acc": "1", "priv": 0}'],
  ])('with %s: it has no scores and no rank, and the staff can read why', async (_, file) => {
    const id = await entryToScore()
    await end(await scoringJobOf(id), { 'scores.json': file })
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'failed', cause: 'scorer', run: null, scores: null })
    expect((await entry(id)).detail).toMatch(/^The file of scores .*\.$/)
    const { rows } = await db.pool.query(
      'SELECT state, scores, failure FROM score_runs WHERE entry_id = $1',
      [id],
    )
    expect(rows).toEqual([{ state: 'failed', scores: null, failure: (await entry(id)).detail }])
  })

  it('with a file of more than 1 MiB: the file is not read', async () => {
    const id = await entryToScore()
    await leaveFile(await scoringJobOf(id), 'scores.json', JSON.stringify(scores), 1024 * 1024 + 1)
    await end(await scoringJobOf(id))
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'failed', cause: 'scorer' })
  })

  it('with an error, or without a file: it fails with the cause scorer', async () => {
    const [failed, silent] = [await entryToScore(), await entryToScore()]
    await end(await scoringJobOf(failed), good, 'exit_code')
    await end(await scoringJobOf(silent))
    await lead()
    for (const id of [failed, silent])
      expect(await entry(id)).toMatchObject({ state: 'failed', cause: 'scorer', scores: null })
  })

  it('by a fault of gpuq: it is scored again, and fails as a fault of the system only after several', async () => {
    const id = await entryToScore()
    const jobs = new Set<string>()
    for (let round = 0; (await entry(id)).state === 'scoring' && round < 20; round++) {
      const job = await scoringJobOf(id)
      jobs.add(job)
      await end(job, good, 'node_lost')
      await lead()
    }
    expect(jobs.size).toBe(5)
    expect(await entry(id)).toMatchObject({ state: 'failed', cause: 'system', scores: null })
    const again = await entryToScore()
    await end(await scoringJobOf(again), {}, 'node_lost')
    await lead()
    await end(await scoringJobOf(again), good)
    await lead()
    expect(await entry(again)).toMatchObject({ state: 'scored', scores })
  })

  it('by a fault of gpuq, with a full queue: it is scored once the queue has room', async () => {
    onTestFinished(async () => void (await db.pool.query('UPDATE policies SET max_queue_size = 1000')))
    const id = await entryToScore()
    await db.pool.query('UPDATE policies SET max_queue_size = 0')
    await end(await scoringJobOf(id), {}, 'node_lost')
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'running' })
    await db.pool.query('UPDATE policies SET max_queue_size = 1000')
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'scoring' })
  })

  it('without its file of scores in the store: it is scored again', async () => {
    const id = await entryToScore()
    const lost = await scoringJobOf(id)
    await db.pool.query(
      "INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES (gen_random_uuid(), $1, 0, 0, 'scores.json', 1, 'hash')",
      [lost],
    )
    await end(lost)
    await lead()
    expect(await scoringJobOf(id)).not.toBe(lost)
    await end(await scoringJobOf(id), good)
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'scored', scores })
  })

  it('after it was withdrawn: the scores are kept, and do not count', async () => {
    const id = await entryToScore()
    await db.pool.query(`UPDATE entries SET state = 'cancelled', ended_at = now() WHERE id = $1`, [id])
    await end(await scoringJobOf(id), good)
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'cancelled', run: null })
    const { rows } = await db.pool.query('SELECT state FROM score_runs WHERE entry_id = $1', [id])
    expect(rows).toEqual([{ state: 'scored' }])
  })

  it('because it was disqualified: its scoring program is cancelled, and it has no scores', async () => {
    const id = await entryToScore()
    await disqualify(id)
    await lead()
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'cancelled', scores: null })
  })
})

describe('several leaders at once', () => {
  it('whichever step each takes: every entry has one job, one scoring program and one end, and the limit of parallel ones holds', async () => {
    competition = await makeCompetition({ config: { parallel: 3 } })
    ;[ada, bob] = [await participant(), await participant()]
    const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => hold(index % 2 === 0 ? ada : bob)))
    const steps = [releaseEntries, followEntries, endScoring, stopDisqualified]
    const isOpen = async () => (await Promise.all(ids.map(entry))).some(({ state }) => state !== 'scored')
    for (let round = 0; round < 60 && (await isOpen()); round++) {
      await Promise.all([...steps, ...steps.toReversed(), ...steps].map((step) => step()))
      const { rows } = await db.pool.query<{ id: string; command: string | null }>(
        `SELECT j.id, j.command FROM jobs j WHERE j.project_id = $1 AND j.status = 'pending'`,
        [competition.projectId],
      )
      expect(rows.length).toBeLessThanOrEqual(3)
      for (const job of rows) await end(job.id, job.command === null ? { 'pred.csv': '1' } : good)
    }
    for (const id of ids) expect(await entry(id)).toMatchObject({ state: 'scored', scores })
    const { rows } = await db.pool.query(
      `SELECT (SELECT count(*)::int FROM jobs WHERE project_id = $1) AS jobs,
              (SELECT count(*)::int FROM score_runs r JOIN entries e ON e.id = r.entry_id WHERE e.competition_id = $2) AS runs`,
      [competition.projectId, competition.id],
    )
    expect(rows).toEqual([{ jobs: 16, runs: 8 }])
  })
})

describe('an entry whose scoring program was written for another product', () => {
  const toScore = async (spec: object) => {
    await db.pool.query('UPDATE competition_scorers SET spec = spec || $2 WHERE id = $1', [
      competition.scorerId,
      spec,
    ])
    return entryToScore()
  }
  const jobSpec = async (id: string) => {
    const { rows } = await db.pool.query('SELECT command, spec FROM jobs WHERE id = $1', [
      await scoringJobOf(id),
    ])
    return rows[0]
  }
  const codabench = { format: 'codabench', command: 'python3 $program/score.py $input $output' }

  it('Codabench: it is scored from scores.txt, or from scores.json if there are both', async () => {
    const id = await toScore(codabench)
    expect(await jobSpec(id)).toEqual({
      command: 'python3 /app/program/score.py /app/input /app/output',
      spec: expect.objectContaining({
        env: { GPUQ_SCORES: '/app/output/scores.json' },
        mounts: { '/app/input/ref': 'truth@1', '/inputs/train': 'train@1', '/inputs/test': 'test@1' },
      }),
    })
    await end(await scoringJobOf(id), { 'scores.txt': 'acc: 0.5\npriv: 0.25\n', 'other.html': 'x' })
    const both = await entryToScore()
    await end(await scoringJobOf(both), { 'scores.txt': 'acc: 1\npriv: 1\n', ...good })
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'scored', scores })
    expect(await entry(both)).toMatchObject({ state: 'scored', scores })
  })

  it('Gradescope: it is scored from results.json and from no other file', async () => {
    await db.pool.query("UPDATE competition_scorers SET spec = spec - 'command' WHERE id = $1", [
      competition.scorerId,
    ])
    const id = await toScore({ format: 'gradescope' })
    expect((await jobSpec(id)).command).toContain('exec /autograder/source/run_autograder')
    const results = { tests: [{ name: 'priv', score: 0.25 }], leaderboard: [{ name: 'acc', value: 0.5 }] }
    await end(await scoringJobOf(id), {
      'results.json': JSON.stringify(results),
      'scores.json': '{"acc": 1, "priv": 1}',
    })
    const other = await entryToScore()
    await end(await scoringJobOf(other), good)
    await lead()
    expect(await entry(id)).toMatchObject({ state: 'scored', scores })
    expect(await entry(other)).toMatchObject({
      state: 'failed',
      cause: 'scorer',
      detail: 'The scoring program wrote no file of scores: it must write /autograder/results/results.json.',
    })
  })
})
