import { beforeAll, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let ada = {} as Person
beforeAll(async () => {
  ada = await makePerson()
})

const record = (text: string) =>
  `${JSON.stringify({ type: 'stderr', t: '2026-11-27T00:00:00.000Z', text, eol: true })}\n`

/** The advice about a failed job that printed these records. */
async function adviceOf(
  records: string,
  reason = 'exit_code',
  memory = { job: 8192, node: 16_000 },
): Promise<unknown> {
  const job = await makeJob({ userId: ada.id })
  const task = await placeManually((await makeNode()).nodeId, job)
  await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [
    task,
    Buffer.from(records),
  ])
  await db.pool.query(
    `WITH task AS (UPDATE tasks SET output_bytes = $2, status = 'failed', ended_at = now(), memory_mib = $5 WHERE id = $3)
     UPDATE jobs SET status = 'failed', reason = $4, exit_code = CASE WHEN $4 = 'exit_code' THEN 1 END, ended_at = now() WHERE id = $1`,
    [job, Buffer.byteLength(records), task, reason, memory.job],
  )
  await db.pool.query('UPDATE nodes SET memory_mib = $1', [memory.node])
  const { body, status } = await call(jobRoutes.get, `/api/status/${job}`, { ...ada, params: { id: job } })
  expect(status).toBe(200)
  return (body as { advice: unknown }).advice
}

it('the answer about a failed job says what to change, as its page does', async () => {
  expect(await adviceOf(record('sh: 1: ./run.sh: not found'))).toEqual({
    title: 'A script could not be started',
    text: expect.stringMatching(/CR LF/),
    fix: null,
  })
  expect(await adviceOf(record('sh: 3: [[: not found'))).toMatchObject({
    title: 'A feature of bash in sh',
    fix: { key: 'shell', value: 'bash' },
  })
  const lost = 'urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>'
  expect(await adviceOf(record(lost))).toMatchObject({ title: 'No network' })
  expect(await adviceOf('', 'timeout')).toMatchObject({ fix: { key: 'max_time' } })
  expect(await adviceOf(record('ValueError: mine'))).toBeNull()
})

it('reads only the end of a long output, whose first record may not be whole', async () => {
  const early = record('sh: 3: [[: not found')
  const padding = record('x'.repeat(1000)).repeat(300)
  expect(await adviceOf(early + padding + record('No space left on device'))).toMatchObject({
    title: 'No space left',
  })
})

it('a job that did not fail has none', async () => {
  const job = await makeJob({ userId: ada.id })
  const { body } = await call(jobRoutes.get, `/api/status/${job}`, { ...ada, params: { id: job } })
  expect(body).toMatchObject({ advice: null })
})

it('asks for no more than the largest node has', async () => {
  expect(await adviceOf('', 'out_of_memory', { job: 1024, node: 1024 })).toMatchObject({
    text: expect.stringMatching(/^Load less data at a time:/),
    fix: null,
  })
  const more = await adviceOf('', 'out_of_memory', { job: 1024, node: 1536 })
  expect(more).toMatchObject({ fix: { key: 'memory_gb', value: 1.5 } })
})
