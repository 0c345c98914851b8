import { afterAll, expect, it } from 'vitest'
import { finishTask } from '../cluster/tasks/finish-task'
import { unfinishedTasks } from '../cluster/tasks/tasks'
import { placeManually } from '../cluster/testing/placed'
import { copyRows, makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { s3Store } from '../storage/s3'
import { setStorage } from '../storage/storage'
import { StorageFault } from '../storage/store'
import { freePort, type S3Server, startS3Server } from '../storage/testing/s3-server'
import { toPlainText } from './decode'
import { ownReader } from './reading/output-reader'
import { readOutput } from './reading/read-output'
import { jobsWithoutResult, storeResult } from './result-files'

const db = testDatabase()
const port = await freePort()
setStorage(
  s3Store({
    bucket: 'gpuq-tests',
    prefix: 'lab/',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  }),
)
let server: S3Server | undefined
afterAll(() => server?.stop())

const line = (number: number) => `{"type":"stdout","t":"2026-11-20T22:36:00.000Z","text":"line ${number}"}\n`

/** An ended job that printed this number of lines. */
async function endedJob(lines: number): Promise<string> {
  const lease = await makeNode()
  const job = await makeJob()
  const taskId = await placeManually(lease.nodeId, job)
  const records = Array.from({ length: lines }, (_, number) => line(number)).join('')
  await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [
    taskId,
    Buffer.from(records),
  ])
  await db.pool.query('UPDATE tasks SET output_bytes = $2 WHERE id = $1', [taskId, records.length])
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  await finishTask(lease, task, { reason: 'exit_code', detail: null, exitCode: 1 })
  return job
}

async function textOf(job: string, from = 0): Promise<string> {
  let text = ''
  for await (const part of toPlainText(readOutput(ownReader('test'), job, 1, from))) text += part
  return text
}

it('keeps output in the database while the bucket is unavailable, moves it afterwards, and reads only the requested part', async () => {
  await db.pool.query('UPDATE policies SET enable_auto_retry = false')
  const job = await endedJob(1000)
  const expected = Array.from({ length: 1000 }, (_, number) => `line ${number}\n`).join('')

  const fault = await storeResult(job).catch((error: unknown) => error)
  expect(fault).toBeInstanceOf(StorageFault)
  expect(fault).toMatchObject({ code: 'unreachable' })
  expect(await jobsWithoutResult(10)).toEqual([job])
  expect(await textOf(job)).toBe(expected)

  server = await startS3Server({ complete: true, port })
  await storeResult(job)
  await storeResult(job)
  expect(await jobsWithoutResult(10)).toEqual([])
  expect((await db.pool.query('SELECT 1 FROM log_chunks')).rowCount).toBe(0)
  expect(await textOf(job)).toBe(expected)

  server.requests.length = 0
  const { rows } = await db.pool.query('SELECT output_start, output_bytes FROM result_files')
  expect(await textOf(job, Number(rows[0].output_bytes) - line(999).length)).toBe('line 999\n')
  const from = rows[0].output_start + Number(rows[0].output_bytes) - line(999).length
  expect(server.requests).toEqual([`GET  bytes=${from}-`])

  await server.stop()
  expect(await textOf(job).catch((error: unknown) => error)).toMatchObject({ code: 'unreachable' })
  server = undefined
})

it('keeps the metrics of the first rank that printed any, in the statement that marks the result as stored', async () => {
  server = await startS3Server({ complete: true, port })
  const job = await endedJob(1)
  const [silent] = await db.pool
    .query<{ id: string }>('SELECT id FROM tasks WHERE job_id = $1', [job])
    .then(({ rows }) => rows)
  if (!silent) throw new Error('The job has no task.')
  await copyRows('tasks', silent.id, { rank: 2, metrics: { step: 8 }, output_bytes: 0 })
  await copyRows('tasks', silent.id, { rank: 1, metrics: { step: 9, loss: 0.5 }, output_bytes: 0 })
  await copyRows('tasks', silent.id, { rank: 0, attempt: 0, metrics: { step: 1 }, output_bytes: 0 })
  const finalMetrics = async () =>
    (await db.pool.query('SELECT final_metrics FROM jobs WHERE id = $1', [job])).rows[0].final_metrics
  expect(await finalMetrics()).toEqual({})
  await storeResult(job)
  expect(await finalMetrics()).toEqual({ step: 9, loss: 0.5 })
})
