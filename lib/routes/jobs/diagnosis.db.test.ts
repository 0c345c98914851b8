import { beforeAll, expect, it, vi } from 'vitest'
import type { Diagnosis } from '@/lib/contract/diagnosis/diagnosis'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode, setRun } from '../../cluster/testing/rows'
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

interface Answer {
  advice: unknown
  diagnosis: Diagnosis | null
}

interface Ended {
  reason?: string
  memory?: { job: number; node: number }
  status?: 'failed' | 'completed'
  code?: string
  /** Stores files of the job before it ends. */
  store?: (job: string) => Promise<unknown>
}

/** What the API says about a job that has ended and printed these records. */
async function readEnded(
  records: string,
  { reason = 'exit_code', memory = { job: 8192, node: 16_000 }, status = 'failed', code, store }: Ended = {},
): Promise<Answer> {
  const job = await makeJob({ userId: ada.id, ...(code !== undefined && { code }) })
  const task = await placeManually((await makeNode()).nodeId, job)
  await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [
    task,
    Buffer.from(records),
  ])
  await store?.(job)
  await db.pool.query(
    `WITH task AS (UPDATE tasks SET output_bytes = $2, status = $6::text::"TaskStatus", ended_at = now(), memory_mib = $5, reason = $4, exit_code = CASE WHEN $4 = 'exit_code' THEN 1 END WHERE id = $3)
     UPDATE jobs SET status = $6::text::"JobStatus", reason = $4, exit_code = CASE $4 WHEN 'exit_code' THEN 1 WHEN 'finished' THEN 0 END, ended_at = now() WHERE id = $1`,
    [job, Buffer.byteLength(records), task, reason, memory.job, status],
  )
  await db.pool.query('UPDATE nodes SET memory_mib = $1', [memory.node])
  const answer = await call(jobRoutes.get, `/api/status/${job}`, { ...ada, params: { id: job } })
  expect(answer.status).toBe(200)
  return answer.body as Answer
}

const adviceOf = async (records: string, ended?: Ended) => (await readEnded(records, ended)).advice

const print = (lines: readonly string[]) => lines.map(record).join('')

it('the answer about a failed job says what to change, as its page does', async () => {
  expect(await adviceOf(record('sh: 1: ./run.sh: not found'))).toEqual({
    title: 'A script could not be started.',
    text: expect.stringMatching(/CR LF/),
    fix: null,
  })
  expect(await adviceOf(record('sh: 3: [[: not found'))).toMatchObject({
    title: 'A script uses a feature of bash, but sh runs it.',
    fix: { key: 'shell', value: 'bash' },
  })
  const lost = 'urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>'
  expect(await adviceOf(record(lost))).toMatchObject({
    title: 'The program could not reach another machine.',
  })
  expect(await adviceOf('', { reason: 'timeout' })).toMatchObject({ fix: { key: 'max_time' } })
  expect(await adviceOf(record('ValueError: mine'))).toBeNull()
})

it('reads only the end of a long output, whose first record may not be whole', async () => {
  const early = record('sh: 3: [[: not found')
  const padding = record('x'.repeat(1000)).repeat(300)
  expect(await adviceOf(early + padding + record('No space left on device'))).toMatchObject({
    title: 'A disk or a directory in memory is full.',
  })
})

it('a job that did not fail has none', async () => {
  const job = await makeJob({ userId: ada.id })
  const { body } = await call(jobRoutes.get, `/api/status/${job}`, { ...ada, params: { id: job } })
  expect(body).toMatchObject({ advice: null, diagnosis: null })
})

it('asks for no more than the largest node has', async () => {
  expect(await adviceOf('', { reason: 'out_of_memory', memory: { job: 1024, node: 1024 } })).toMatchObject({
    text: expect.stringMatching(/^Load less data at a time:/),
    fix: null,
  })
  const more = await adviceOf('', { reason: 'out_of_memory', memory: { job: 1024, node: 1536 } })
  expect(more).toMatchObject({ fix: { key: 'memory_gb', value: 1.5 } })
})

const traceback = [
  'Traceback (most recent call last):',
  '  File "/job/solution.py", line 3, in load',
  '    open("data.csv")',
  "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'",
]

it('a diagnosis has the cause, the place with the code around it, the evidence and the next step', async () => {
  const code = 'import csv\ndef load():\n    open("data.csv")\nload()\n'
  const { diagnosis } = await readEnded(print(traceback), { code })
  expect(diagnosis).toMatchObject({
    cause: 'file_missing',
    fault: 'program',
    error: traceback[3],
    rank: null,
    place: { file: 'solution.py', line: 3, function: 'load', code: 'open("data.csv")' },
    evidence: traceback,
    next_step: expect.stringContaining('data.csv'),
  })
  expect(diagnosis?.place?.context[1]).toEqual({ line: 2, text: 'def load():' })
})

it('a completed job has a diagnosis only if it left no result, and printed nothing or an exception at its end', async () => {
  expect((await readEnded('', completed)).diagnosis).toMatchObject({ cause: 'no_result' })
  expect((await readEnded(print(traceback), completed)).diagnosis).toMatchObject({ cause: 'no_result' })
  expect((await readEnded(print(['accuracy 0.9']), completed)).diagnosis).toBeNull()
})

const completed = { reason: 'finished', status: 'completed' } as const

it('a completed job has no diagnosis if its program printed more than three lines after an exception', async () => {
  const after = (count: number) =>
    print([...traceback, ...Array<string>(count).fill('training continues'), ''])
  expect((await readEnded(after(3), completed)).diagnosis).toMatchObject({ cause: 'no_result' })
  expect((await readEnded(after(4), completed)).diagnosis).toBeNull()
})

/** Gives a job a run, and the run what it left. */
async function storeInRun(job: string, statement: string): Promise<void> {
  await db.pool.query(statement, [await setRun(job, `run-${job}`)])
}

it.each<[kind: string, store: (job: string) => Promise<unknown>]>([
  [
    'a file of its working directory',
    (job) =>
      db.pool.query(
        `INSERT INTO working_files (job_id, attempt, rank, id, path, bytes, sha256, executable)
         VALUES ($1, 1, 0, gen_random_uuid(), 'a', 1, '', false)`,
        [job],
      ),
  ],
  [
    'a checkpoint in the store',
    (job) =>
      storeInRun(
        job,
        `INSERT INTO checkpoint_files (run_id, task_id, path, object, bytes, sha256, mtime_ns, executable)
         VALUES ($1, gen_random_uuid(), 'a', gen_random_uuid(), 1, '', 0, false)`,
      ),
  ],
  [
    'a checkpoint on the shared disk',
    (job) => storeInRun(job, 'INSERT INTO run_directories (run_id, bytes) VALUES ($1, 1)'),
  ],
])('a completed job that left %s has no diagnosis', async (_, store) => {
  expect((await readEnded('', { ...completed, store })).diagnosis).toBeNull()
})
