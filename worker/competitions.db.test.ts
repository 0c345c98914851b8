import { uuidv7 } from 'uuidv7'
import { expect, it } from 'vitest'
import { makeUser } from '@/lib/cluster/testing/rows'
import { makeCompetition } from '@/lib/competitions/testing/competition'
import { type HeldEntryOptions, holdEntry } from '@/lib/competitions/testing/held-entries'
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
