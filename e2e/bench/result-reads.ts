import { spawn } from 'node:child_process'
import { request } from 'node:http'
import pg from 'pg'
import type { System } from '../system/start-system'
import { bearer, call } from './client'
import { storeJobs } from './job-list'
import { type Figures, figuresOf } from './measure'

/** Requests for long output by one user at the same time. */
const readers = 100
const outputMiB = 33
/** All are measured in turn, so that changes of the machine's speed affect each. */
const rounds = 2
const roundMs = 6_000
const warmUpMs = 3_000
/** Another user asks for something short, one request after the other, with this pause. */
const pauseMs = 5

interface ReadFigures {
  alone: Figures
  beside: Figures
  /** Beside a program that keeps one core busy and asks the server for nothing: what the machine itself adds. */
  besideBusyCore: Figures
  /** Long outputs that were answered completely meanwhile. */
  answered: number
}

/** Measures how long short requests of another user take: alone, beside many requests for long output, and beside a busy core. */
export async function benchResultReads(system: System): Promise<ReadFigures> {
  await storeJobs(system, 20)
  const jobId = await storeOutput(system)
  const others = await otherUser(system)
  const measure = async (milliseconds: number) => {
    const samples: number[] = []
    const until = performance.now() + milliseconds
    while (performance.now() < until) {
      const began = performance.now()
      const { status } = await call(`${system.url}/api/jobs`, { headers: others })
      if (status !== 200) throw new Error(`/api/jobs answered ${status}`)
      samples.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    return samples
  }
  await measure(warmUpMs)
  const alone: number[] = []
  const beside: number[] = []
  const besideBusyCore: number[] = []
  let answered = 0
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await measure(roundMs)))
    const reading = startReaders(system, jobId)
    beside.push(...(await measure(roundMs).finally(reading.stop)))
    answered += reading.answered()
    const busy = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })
    besideBusyCore.push(...(await measure(roundMs).finally(() => busy.kill('SIGKILL'))))
  }
  return {
    alone: figuresOf(alone),
    beside: figuresOf(beside),
    besideBusyCore: figuresOf(besideBusyCore),
    answered,
  }
}

/** Keeps {@link readers} requests open, and begins a new one when one ends. */
function startReaders(system: System, jobId: string): { stop: () => void; answered: () => number } {
  const stopped = new AbortController()
  let answered = 0
  const read = (): Promise<void> =>
    new Promise((resolve) => {
      const headers = { ...bearer(system), 'accept-encoding': 'gzip' }
      const sent = request(
        `${system.url}/api/results/${jobId}`,
        { headers, agent: false, signal: stopped.signal },
        (answer) => {
          if (answer.statusCode !== 200 && answer.statusCode !== 429)
            throw new Error(`the result answered ${answer.statusCode}`)
          answer.resume()
          answer.once('end', () => {
            if (answer.statusCode === 200) answered++
          })
          // As the answer says.
          const retryAfterS = Number(answer.headers['retry-after'] ?? 0)
          answer.once('close', () => setTimeout(resolve, retryAfterS * 1000))
          answer.on('error', () => {})
        },
      )
      sent.on('error', () => resolve())
      sent.end()
    })
  const repeat = async () => {
    while (!stopped.signal.aborted) await read()
  }
  for (let reader = 0; reader < readers; reader++) void repeat()
  return { stop: () => stopped.abort(), answered: () => answered }
}

/** Stores a long output of one of the jobs, as its worker would. */
async function storeOutput(system: System): Promise<string> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ job: string; task: string }>(
      `WITH node AS (
         INSERT INTO nodes (id, number, name, status, engine_id, engine_version, warnings, lease_id, lease_expires_at, cpu_milli, memory_mib)
         VALUES (gen_random_uuid(), 999, 'bench', 'lost', 'bench', 'bench', '{}', gen_random_uuid(), now(), 1000, 1000) RETURNING id
       ), job AS (SELECT id, attempt FROM jobs LIMIT 1)
       INSERT INTO tasks (id, job_id, attempt, node_id, status, cpu_milli, memory_mib, started_at, ended_at)
       SELECT gen_random_uuid(), job.id, job.attempt, node.id, 'completed', 1000, 1000, now(), now() FROM job, node
       RETURNING job_id AS job, id AS task`,
    )
    const [made] = rows
    if (!made) throw new Error('there is no job')
    const record =
      '{"type":"stdout","t":"2026-11-27T00:00:00.000Z","text":"step 17 of the training, the loss is 0.123"}\n'
    const chunk = Buffer.from(record.repeat(Math.floor((1 << 20) / record.length)))
    for (let at = 0; at < outputMiB; at++)
      await client.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, $2, $3)', [
        made.task,
        at * chunk.length,
        chunk,
      ])
    await client.query('UPDATE tasks SET output_bytes = $2 WHERE id = $1', [
      made.task,
      outputMiB * chunk.length,
    ])
    return made.job
  } finally {
    await client.end()
  }
}

/** Creates a user and returns the header of a token. */
async function otherUser(system: System): Promise<Record<string, string>> {
  const post = async (path: string, body: object, headers: Record<string, string>) => {
    const answer = await call(`${system.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    })
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.body}`)
    return JSON.parse(answer.body)
  }
  await post('/api/users', { user_id: 'neighbour', role: 'researcher' }, bearer(system))
  const { token } = await post(
    '/api/tokens',
    { name: 'bench', scopes: ['read'], user_id: 'neighbour' },
    bearer(system),
  )
  return { authorization: `Bearer ${token}` }
}
