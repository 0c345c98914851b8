import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { logger } from '../../logger'
import { ownReader } from '../../results/reading/output-reader'
import { startReading } from '../../results/reading/reading-slots'
import { jobRoutes } from './jobs'

const db = testDatabase()
let [ada, bob] = [] as unknown as [Person, Person]
let job: string
const pieces = 12
/** Each piece is one row of 256 KiB. */
const line = `${'x'.repeat(1000)}\n`
const records = Buffer.from(
  `{"type":"stdout","t":"2026-11-27T00:00:00.000Z","text":"${line.slice(0, -1)}"}\n`.repeat(256),
)

beforeAll(async () => {
  bob = await makePerson()
})
beforeEach(async () => {
  ada = await makePerson()
  job = await makeJob({ userId: ada.id })
  const task = await placeManually((await makeNode()).nodeId, job)
  for (let piece = 0; piece < pieces; piece++) {
    const start = piece * records.length
    await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, $2, $3)', [
      task,
      start,
      records,
    ])
  }
  await db.pool.query('UPDATE tasks SET output_bytes = $2 WHERE id = $1', [task, pieces * records.length])
})

afterEach(() => {
  vi.restoreAllMocks()
})

interface Asked {
  method?: string
  format?: string
  signal?: AbortSignal
  person?: Person
}

function ask({ method = 'GET', format = 'json', signal, person = ada }: Asked = {}): Promise<Response> {
  const request = new Request(`http://localhost:8001/api/results/${job}?format=${format}`, {
    method,
    headers: { cookie: person.cookie },
  })
  if (signal) Object.defineProperty(request, 'signal', { value: signal })
  return jobRoutes.result(request, { params: Promise.resolve({ id: job }) })
}

/** Takes all four slots of the user. Returns the function that releases them. */
async function takeSlots(userId: string): Promise<() => void> {
  const taken: Awaited<ReturnType<typeof startReading>>[] = []
  for (let slot = 0; slot < 4; slot++) taken.push(await startReading(ownReader(userId), job))
  return () => {
    for (const release of taken) release?.()
  }
}

/** Resolves if all four slots of the user are free. */
const allSlots = async (userId: string) => (await takeSlots(userId))()

const signOut = () => db.pool.query('DELETE FROM sessions WHERE user_id = $1', [ada.id])

describe('a long output', () => {
  it('is sent whole while it is read', async () => {
    const answer = await ask()
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual({
      job_id: job,
      status: 'running',
      reason: null,
      reason_text: null,
      exit_code: null,
      result_file: null,
      stdout: line.repeat(256 * pieces),
      stderr: '',
      results: [],
      truncated: false,
    })
    expect(await (await ask({ format: 'text' })).text()).toBe(line.repeat(256 * pieces))
    await allSlots(ada.id)
  })

  it.each(['json', 'text'])('is not read for HEAD, however many slots are taken: %s', async (format) => {
    const release = await takeSlots(ada.id)
    // Reading the output would fail.
    await db.pool.query('ALTER TABLE log_chunks RENAME TO hidden_chunks')
    try {
      const answer = await ask({ method: 'HEAD', format })
      expect(answer.status).toBe(200)
      await answer.body?.cancel()
    } finally {
      await db.pool.query('ALTER TABLE hidden_chunks RENAME TO log_chunks')
      release()
    }
  })

  it.each(['json', 'text'])('frees its slot when the client leaves in the middle: %s', async (format) => {
    for (let request = 0; request < 8; request++) {
      const leaving = new AbortController()
      const answer = await ask({ format, signal: leaving.signal })
      const reader = answer.body?.getReader()
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
      leaving.abort()
      await reader?.cancel().catch(() => {})
    }
    await allSlots(ada.id)
  })

  it('waits for a slot of its user, in order, and only so many do', async () => {
    const release = await takeSlots(ada.id)
    const failures = vi.spyOn(logger, 'error')
    const leaving = new AbortController()
    const waiting = Array.from({ length: 65 }, () => ask({ signal: leaving.signal }))
    const refused = await Promise.race(waiting)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    // Others have their own.
    await allSlots(bob.id)
    await findVisibleJob(ada.actor, job)
    leaving.abort()
    expect((await Promise.all(waiting)).map(({ status }) => status).sort()).toEqual([
      429,
      ...Array.from({ length: 64 }, () => 503),
    ])
    // A client that leaves is no error of the server.
    expect(failures).not.toHaveBeenCalled()
    release()
    expect((await ask()).status).toBe(200)
  })

  it.each(['json', 'text'])(
    'is not sent if the right to it ended before its turn came: %s',
    async (format) => {
      const release = await takeSlots(ada.id)
      const waiting = ask({ format })
      // The request is authenticated meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 300))
      await signOut()
      release()
      const reader = (await waiting).body?.getReader()
      await expect(reader?.read()).rejects.toThrow(/has ended/)
      await allSlots(ada.id)
    },
  )

  it.each(['json', 'text'])('breaks off when the right to it ends while it is sent: %s', async (format) => {
    const answer = await ask({ format })
    const reader = answer.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    await signOut()
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 60_000)
    await expect(reader?.read()).rejects.toThrow(/has ended/)
    vi.restoreAllMocks()
    await allSlots(ada.id)
  })
})
