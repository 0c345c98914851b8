import { rm } from 'node:fs/promises'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../access/testing/people'
import { placeManually } from '../cluster/testing/placed'
import { copyRows, makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { storeResult } from '../results/result-files'
import { storage } from '../storage/storage'
import { type LogPart, readLog } from './read-log'
import { searchLog } from './search-log'

const directory = await vi.hoisted(async () => {
  const { mkdtempSync } = await import('node:fs')
  const made = mkdtempSync(`${process.env.TMPDIR ?? '/tmp'}/gpuq-log-`)
  vi.stubEnv('GPUQ_DATA_DIR', made)
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  return made
})
afterAll(() => rm(directory, { recursive: true }))

const db = testDatabase()
let ada = {} as Person
let jobId = ''
let taskId = ''
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  ada = await makePerson()
  jobId = await makeJob({ userId: ada.id })
  taskId = await placeManually((await makeNode()).nodeId, jobId)
})

const t = '2026-11-21T10:00:00.000Z'
const record = (type: string, rest: object) => `${JSON.stringify({ type, t, ...rest })}\n`
const metric = record('metric', { gpus: [] })

let stored = 0
beforeEach(() => {
  stored = 0
})

/** Stores records like a worker: several in one chunk. */
async function store(records: string): Promise<void> {
  const bytes = Buffer.from(records)
  await db.pool.query(
    `WITH chunk AS (INSERT INTO log_chunks (task_id, start, records) VALUES ($1, $2, $3))
     UPDATE tasks SET output_bytes = $2 + $4 WHERE id = $1`,
    [taskId, stored, bytes, bytes.length],
  )
  stored += bytes.length
}

async function endJob(): Promise<void> {
  await db.pool.query("UPDATE tasks SET status = 'completed', ended_at = now() WHERE id = $1", [taskId])
  await db.pool.query(
    "UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1",
    [jobId],
  )
}

/** Reads until a part is empty or the log has ended. */
async function readAll(limit: number, from = 0): Promise<{ text: string; last: LogPart }> {
  let text = ''
  for (let offset = from; ; ) {
    const part = await readLog(ada.actor, jobId, { offset, limit, attempt: null, rank: 0 })
    text += part.text
    expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(limit)
    expect(part.nextOffset - offset).toBe(Buffer.byteLength(part.text))
    offset = part.nextOffset
    if (part.ended || part.text === '') return { text, last: part }
  }
}

const printed = 'epoch 1\nloss ∂ 0.5 🙂\nwarn\n{"a": 1.0}\nno line feed'
const records = [
  record('stdout', { text: 'epoch 1' }) + metric,
  record('stdout', { text: 'loss ∂ 0.5 🙂' }) + record('stderr', { text: 'warn' }),
  `{"type":"result","t":"${t}","data":{"a": 1.0}}\n`,
  metric + record('stdout', { text: 'no line feed', eol: false }),
]

describe('reading a log by bytes', () => {
  it('returns every byte once, for any part size, during the run and from the file', async () => {
    for (const chunk of records) await store(chunk)
    for (const limit of [4, 5, 7, 11, 1000]) {
      expect(await readAll(limit)).toMatchObject({
        text: printed,
        last: { ended: false, attempt: 1 },
      })
    }
    await endJob()
    expect(await readAll(9)).toMatchObject({ text: printed, last: { ended: true } })
    await storeResult(jobId)
    for (const limit of [4, 6, 1000]) {
      expect(await readAll(limit)).toMatchObject({ text: printed, last: { ended: true } })
    }
  })

  it('reads each part of the file of an ended job once, and not from the beginning', async () => {
    // Lines of odd lengths: the pieces of a file do not end where lines end.
    const lines = Array.from({ length: 4000 }, (_, at) => `${at} ${'x'.repeat(at % 511)}`)
    await store(lines.map((text) => record('stdout', { text })).join(''))
    await endJob()
    await storeResult(jobId)
    const open = vi.spyOn(storage(), 'open')
    const { text } = await readAll(16 * 1024)
    expect(text).toBe(`${lines.join('\n')}\n`)
    const starts = open.mock.calls.map(([, range]) => range?.start ?? 0)
    expect(starts.length).toBeGreaterThan(60)
    for (const [at, start] of starts.entries()) if (at > 0) expect(start).toBeGreaterThan(starts[at - 1] ?? 0)
    vi.restoreAllMocks()
  })

  it('continues as more is printed, from any byte at the start of a character', async () => {
    let text = ''
    let offset = 0
    for (const chunk of records) {
      await store(chunk)
      const part = await readLog(ada.actor, jobId, { offset, limit: 1000, attempt: 1, rank: 0 })
      text += part.text
      offset = part.nextOffset
    }
    expect(text).toBe(printed)
    const bytes = Buffer.from(printed)
    for (let from = 0; from <= bytes.length; from++) {
      const rest = bytes.subarray(from).toString()
      const reading = readLog(ada.actor, jobId, { offset: from, limit: 1000, attempt: null, rank: 0 })
      if (rest.startsWith('\ufffd')) await expect(reading).rejects.toThrow(/inside a character/)
      else expect(await reading).toMatchObject({ text: rest, nextOffset: bytes.length })
    }
  })

  it('refuses an offset beyond the end, and reports the end', async () => {
    await store(record('stdout', { text: 'abc' }))
    const reading = readLog(ada.actor, jobId, { offset: 5, limit: 10, attempt: null, rank: 0 })
    await expect(reading).rejects.toThrow(/4 bytes so far/)
  })

  it('restarts with a flag when another attempt has started', async () => {
    await store(record('stdout', { text: 'first' }))
    await db.pool.query("UPDATE tasks SET status = 'lost', ended_at = now() WHERE id = $1", [taskId])
    await db.pool.query("UPDATE jobs SET status = 'pending' WHERE id = $1", [jobId])
    stored = 0
    taskId = await placeManually((await makeNode()).nodeId, jobId)
    await store(record('stdout', { text: 'second try' }))
    expect(await readLog(ada.actor, jobId, { offset: 6, limit: 100, attempt: 1, rank: 0 })).toMatchObject({
      text: 'second try\n',
      attempt: 2,
      restarted: true,
    })
  })

  it('separates the ranks, and refuses an unknown rank', async () => {
    const read = (rank: number) => readLog(ada.actor, jobId, { offset: 0, limit: 100, attempt: null, rank })
    await store(record('stdout', { text: 'of the first' }))
    await expect(read(1)).rejects.toThrow(/one rank/)
    stored = 0
    ;[taskId = ''] = await copyRows('tasks', taskId, { rank: 1, output_bytes: 0 })
    await store(record('stdout', { text: 'of the second', rank: 1 }))
    expect(await read(0)).toMatchObject({ text: 'of the first\n' })
    expect(await read(1)).toMatchObject({ text: 'of the second\n', nextOffset: 14 })
    await expect(read(2)).rejects.toThrow(/ranks 0 to 1/)
  })

  it('does not find jobs of other users', async () => {
    const bob = await makePerson()
    const reading = readLog(bob.actor, jobId, { offset: 0, limit: 10, attempt: null, rank: 0 })
    await expect(reading).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('searching a log', () => {
  it('keeps little of a line that does not end, and says where the next one begins', async () => {
    const piece = record('stdout', { text: 'é'.repeat(100_000), eol: false })
    for (let at = 0; at < 20; at++) await store(piece)
    await store(record('stdout', { text: '' }) + record('stdout', { text: 'needle' }))
    const appended = vi.spyOn(Buffer, 'byteLength')
    const search = { tail: undefined, search: 'needle', errorsOnly: false, limit: 1000, rank: 0 }
    const found = await searchLog(ada.actor, jobId, search, new AbortController().signal)
    expect(found).toMatchObject({ text: '4000001: needle\n', leftOut: 0 })
    // Nothing longer than what was read at once was put together.
    const longest = Math.max(
      ...appended.mock.calls.map(([text]) => (typeof text === 'string' ? text.length : 0)),
    )
    appended.mockRestore()
    expect(longest).toBeLessThan(1_000_000)
  })
})
