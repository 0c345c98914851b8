import { uuidv7 } from 'uuidv7'
import { expect, it } from 'vitest'
import { makePerson } from '@/lib/access/testing/people'
import { makeUser } from '@/lib/cluster/testing/rows'
import { createRescore } from '@/lib/competitions/rescoring/create-rescore'
import { applyRescore } from '@/lib/competitions/rescoring/end-rescore'
import { makeCompetition } from '@/lib/competitions/testing/competition'
import { endWaitingJob } from '@/lib/competitions/testing/ended-jobs'
import { type HeldEntryOptions, holdEntry } from '@/lib/competitions/testing/held-entries'
import { insertScored } from '@/lib/competitions/testing/scored-entries'
import { storeOutputs } from '@/lib/competitions/testing/stored-outputs'
import type { Script } from './runtime/testing/fake-container'
import { FakeLab } from './testing/fake-lab'
import { forever } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

/** A lab with a competition and a participant, whose phase mounts nothing. */
async function openCompetition() {
  const lab = await FakeLab.open()
  const { pool } = lab.database
  const { competition, userId, teamId } = await lab.inDatabase(async () => {
    const made = await makeCompetition()
    const user = await makeUser()
    return { competition: made, userId: user, teamId: await made.join({ id: user }) }
  })
  /** The node keeps no files, so the script records what it leaves. */
  const leave = (jobId: string, attempt: number) =>
    pool.query(
      `INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, $3, 0, 'pred.csv', 1, 'hash')`,
      [uuidv7(), jobId, attempt],
    )
  const hold = async (script: Script, options: Partial<HeldEntryOptions> = {}) => {
    const code = lab.codeOf(script)
    const id = await lab.inDatabase(() => holdEntry(competition, { userId, teamId, code, ...options }))
    await pool.query(`UPDATE entries SET mounts = '{}' WHERE id = $1`, [id])
    return id
  }
  const entry = async (id: string) => {
    const { rows } = await pool.query<{ state: string; cause: string | null; job: string | null }>(
      'SELECT state, cause, job_id AS job FROM entries WHERE id = $1',
      [id],
    )
    return rows[0]
  }
  const untilJob = (id: string) =>
    lab.jobs.until(`the entry ${id} has a job`, async () => (await entry(id))?.job)
  const untilState = (id: string, state: string) =>
    lab.jobs.until(`the entry ${id} is ${state}`, async () => (await entry(id))?.state === state)
  return { lab, hold, entry, leave, untilJob, untilState }
}

it('the node of an entry is killed while it runs: it runs again on another node, with the same seed, as one entry of one job', async () => {
  const { lab, hold, leave, untilJob, untilState } = await openCompetition()
  const seeds: (string | undefined)[] = []
  const worker = lab.startWorker({ node: 'a' })
  let job = ''
  const id = await hold(
    async ({ attempt, env, print }) => {
      seeds.push(env.GPUQ_SEED)
      await print(`attempt ${attempt}\n`)
      if (attempt === 1) return forever
      await leave(job, attempt)
      return 0
    },
    { kind: 'rehearsal' },
  )
  job = await untilJob(id)
  await lab.jobs.untilPrinted(job, /attempt 1/)
  lab.startWorker({ node: 'b' })
  await worker.kill()
  await lab.expireLease('a')
  await untilState(id, 'scored')
  expect(await lab.jobs.row(job)).toMatchObject({ status: 'completed', attempt: 2 })
  expect(seeds).toEqual([`seed of ${id}`, `seed of ${id}`])
  const { rows } = await lab.database.pool.query(
    'SELECT (SELECT count(*)::int FROM entries) AS entries, (SELECT count(*)::int FROM jobs) AS jobs',
  )
  expect(rows).toEqual([{ entries: 1, jobs: 1 }])
  worker.start()
  await expectAllTrue(lab)
})

it('leaders that are killed again and again, beside another one: each entry gets one job and ends once', async () => {
  const { lab, hold, leave, untilState, entry } = await openCompetition()
  lab.startWorker({ node: 'a', gpus: 4 })
  const ids: string[] = []
  for (let index = 0; index < 8; index++) {
    const at = { id: '' }
    const script: Script = async () => {
      await leave((await entry(at.id))?.job ?? '', 1)
      return 0
    }
    at.id = await hold(script, { kind: 'rehearsal' })
    ids.push(at.id)
  }
  for (const id of ids) {
    const another = lab.startLeader()
    await lab.jobs.until(`${id} does not wait`, async () => (await entry(id))?.state !== 'held')
    await another.kill()
  }
  for (const id of ids) await untilState(id, 'scored')
  const { rows } = await lab.database.pool.query('SELECT count(*)::int AS jobs FROM jobs')
  expect(rows).toEqual([{ jobs: 8 }])
  await expectAllTrue(lab)
})

it('leaders that are killed again and again while stored outputs are scored again: each entry gets one new run and no second program, and the scores count together', async () => {
  const lab = await FakeLab.open()
  const { pool } = lab.database
  const { id, ids, actor } = await lab.inDatabase(async () => {
    const host = await makePerson()
    const competition = await makeCompetition({ hosts: [host], config: { parallel: 3 } })
    const teamId = await competition.join({ id: await makeUser() })
    const entries = Array.from({ length: 12 }, () => ({
      teamId,
      userId: host.id,
      scores: { acc: 0, priv: 0 },
    }))
    const scored = await insertScored(competition, entries)
    await storeOutputs(competition, scored)
    const { slug } = competition
    return { id: (await createRescore(host.actor, slug, 'main')).id, ids: scored, actor: host.actor }
  })
  const isReady = async () =>
    (await pool.query(`SELECT 1 FROM rescores WHERE id = $1 AND state = 'ready'`, [id])).rowCount === 1
  const waiting = async () =>
    (await pool.query<{ id: string }>(`SELECT id FROM jobs WHERE status = 'pending' ORDER BY id`)).rows
  const scores = { 'scores.json': JSON.stringify({ acc: 1, priv: 1 }) }
  while (!(await isReady())) {
    const another = lab.startLeader()
    await lab.jobs.until(
      'a run waits for its end',
      async () => (await isReady()) || (await waiting()).length > 0,
    )
    const [job] = await waiting()
    if (job) await lab.inDatabase(() => endWaitingJob(job.id, scores))
    await another.kill()
  }
  const count = async () => {
    const { rows } = await pool.query(
      `SELECT (SELECT count(*)::int FROM jobs) AS jobs, count(*)::int AS runs, count(DISTINCT entry_id)::int AS entries,
              count(*) FILTER (WHERE r.state = 'scored')::int AS scored, count(e.id)::int AS counting
         FROM score_runs r LEFT JOIN entries e ON e.score_run_id = r.id WHERE r.rescore_id = $1`,
      [id],
    )
    return rows
  }
  const all = ids.length
  expect(await count()).toEqual([{ jobs: 2 * all, runs: all, entries: all, scored: all, counting: 0 }])
  await lab.inDatabase(() => applyRescore(actor, id))
  expect(await count()).toEqual([{ jobs: 2 * all, runs: all, entries: all, scored: all, counting: all }])
})
