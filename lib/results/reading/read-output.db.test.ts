import { rm } from 'node:fs/promises'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { placeManually } from '../../cluster/testing/placed'
import { copyRows, makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { advance, parsePosition } from '../../jobs/live/events'
import { sendResult } from '../../jobs/read/result'
import { readRecords } from '../decode'
import { OutputEncoder } from '../encode'
import { storeResult } from '../result-files'
import { ownReader } from './output-reader'
import { readFirstRecords, readLastRecords, readOutput, readRanks } from './read-output'

const directory = await vi.hoisted(async () => {
  const { mkdtempSync } = await import('node:fs')
  const made = mkdtempSync(`${process.env.TMPDIR ?? '/tmp'}/gpuq-ranks-`)
  vi.stubEnv('GPUQ_DATA_DIR', made)
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  return made
})
const db = testDatabase()
const reader = ownReader('test')
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

const at = '2026-01-01T00:00:00.000Z'
const line = (rank: number, text: string) => JSON.stringify({ type: 'stdout', t: at, rank, text })
const result = (rank: number, data: unknown) => JSON.stringify({ type: 'result', t: at, rank, data })

/** A running job with three tasks, each with stored chunks of output. */
async function makeGang(printed: string[][]): Promise<string> {
  const job = await makeJob({ spec: { instance_count: printed.length } })
  const first = await placeManually((await makeNode({ name: 'node-0' })).nodeId, job)
  const tasks = [first]
  for (let rank = 1; rank < printed.length; rank++) {
    const { nodeId } = await makeNode({ name: `node-${rank}` })
    tasks.push(...(await copyRows('tasks', first, { rank, node_id: nodeId })))
  }
  for (const [rank, chunks] of printed.entries())
    for (const chunk of chunks) await print(tasks[rank] ?? '', chunk)
  return job
}

const print = (task: string, chunk: string) =>
  db.pool.query(
    `WITH t AS (UPDATE tasks SET output_bytes = output_bytes + octet_length($2::bytea) WHERE id = $1 RETURNING id, output_bytes)
     INSERT INTO log_chunks (task_id, start, records) SELECT id, output_bytes - octet_length($2::bytea), $2 FROM t`,
    [task, Buffer.from(`${chunk}\n`)],
  )

async function end(job: string): Promise<void> {
  await db.pool.query("UPDATE tasks SET status = 'completed', ended_at = now() WHERE job_id = $1", [job])
  await db.pool.query(
    "UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1",
    [job],
  )
  await storeResult(job)
}

async function read(job: string, from: readonly number[] = []): Promise<string[]> {
  const ranks: string[] = []
  for await (const { rank, records } of readRanks(reader, job, 1, from))
    ranks[rank] = (ranks[rank] ?? '') + records
  return ranks
}

const three = [
  [line(0, 'a'), line(0, 'b')],
  [line(1, 'c'), result(1, { loss: 1 })],
  Array.from({ length: 40 }, (_, n) => line(2, `line ${n}`)),
]
const whole = three.map((chunks) => chunks.map((chunk) => `${chunk}\n`).join(''))

it('reads the first records that fit, whole and in order, from the chunks and from the file', async () => {
  const records = three.flat()
  const job = await makeGang(three)
  const bytes = (count: number) => Buffer.byteLength(records.slice(0, count).join('\n')) + 1
  const readAll = async () => [
    await readFirstRecords(reader, job, 1, bytes(3)),
    await readFirstRecords(reader, job, 1, bytes(4) - 1),
    await readFirstRecords(reader, job, 1, 10),
    await readFirstRecords(reader, job, 1, 1024 ** 2),
  ]
  const expected = [records.slice(0, 3), records.slice(0, 3), [], records]
  expect(await readAll()).toEqual(expected)
  await end(job)
  expect(await readAll()).toEqual(expected)
})

it('reads the last records that fit, whole and in order, from the chunks and from the file', async () => {
  const records = three[2] ?? []
  const job = await makeGang([records])
  const bytes = (count: number) => Buffer.byteLength(records.slice(-count).join('\n')) + 1
  const readAll = async () => [
    await readLastRecords(reader, job, 1, bytes(3) + 1),
    await readLastRecords(reader, job, 1, bytes(4) - 1),
    await readLastRecords(reader, job, 1, 10),
    await readLastRecords(reader, job, 1, 1024 ** 2),
  ]
  const expected = [records.slice(-3), records.slice(-3), [], records]
  expect(await readAll()).toEqual(expected)
  await end(job)
  expect(await readAll()).toEqual(expected)
})

describe('the output of several ranks', () => {
  it('is the same from the chunks and from the file, from any position in any rank', async () => {
    const job = await makeGang(three)
    const size = (text = '') => Buffer.byteLength(text)
    const places = [
      [],
      [
        size(`${line(0, 'a')}\n`),
        0,
        size(
          three[2]
            ?.slice(0, 9)
            .map((chunk) => `${chunk}\n`)
            .join(''),
        ),
      ],
      whole.map(size),
      [size(whole[0]), size(whole[1])],
    ]
    const live = await Promise.all(places.map((from) => read(job, from)))
    expect(live[0]).toEqual(whole)
    await end(job)
    const { rows } = await db.pool.query('SELECT count(*)::int AS left FROM log_chunks')
    expect(rows).toEqual([{ left: 0 }])
    for (const [index, from] of places.entries()) expect(await read(job, from)).toEqual(live[index])
    const alone: Buffer[] = []
    for await (const records of readOutput(reader, job, 1, 0, 1)) alone.push(records)
    expect(Buffer.concat(alone).toString()).toBe(whole[1])
  })

  it('is stored in the file rank after rank, after a record that names every node', async () => {
    const job = await makeGang(three)
    await end(job)
    const pieces: Buffer[] = []
    for await (const { records } of readRanks(reader, job, 1)) pieces.push(records)
    expect(Buffer.concat(pieces).toString()).toBe(whole.join(''))
    const { rows } = await db.pool.query('SELECT name FROM result_files')
    const { storage } = await import('../../storage/storage')
    const { resultKey } = await import('../name')
    const records = []
    for await (const record of readRecords((await storage().open(resultKey(rows[0].name))).stream))
      records.push(record)
    expect(records[0]).toMatchObject({
      type: 'job',
      node: 'node-0',
      instances: [
        { rank: 0, node: 'node-0', gpus: [{ index: 0 }] },
        { rank: 1, node: 'node-1' },
        { rank: 2, node: 'node-2' },
      ],
    })
    expect(records.at(-1)).toMatchObject({ type: 'exit' })
  })

  it('can be read from any byte of its chunks', async () => {
    const printed = ['a', 'bc'].map((text) => `${line(0, text.repeat(40_000))}\n`)
    const job = await makeGang([printed.map((text) => text.slice(0, -1))])
    const all = printed.join('')
    for (const from of [0, 1, 47, 48 * 1024, 60_000, all.length - 1, all.length]) {
      const pieces = []
      for await (const piece of readOutput(reader, job, 1, from)) pieces.push(piece)
      expect(Buffer.concat(pieces).toString() === all.slice(from), `from ${from}`).toBe(true)
    }
  })

  it('is separate in the response, which shows rank 0 first', async () => {
    const job = await makeGang(three)
    const resultOf = async (id: string) => (await sendResult(reader, id, async () => true)).json()
    expect(await resultOf(job)).toMatchObject({
      stdout: 'a\nb\n',
      results: [],
      ranks: [
        { rank: 0, stdout: 'a\nb\n', results: [] },
        { rank: 1, stdout: 'c\n{"loss":1}\n', results: [{ loss: 1 }] },
        { rank: 2, truncated: false },
      ],
    })
    expect(await resultOf(await makeJob())).not.toHaveProperty('ranks')
  })

  it('has every digit that was printed in the response, also of every rank', async () => {
    const json =
      '{"id": 9007199254740993, "seed": 12345678901234567890, "lr": 1e-05, "huge": 1e400, "a": -0.0, "a": 1.0}'
    const printed = (rank: number) => `{"type":"result","t":"${at}","rank":${rank},"data":${json}}`
    const job = await makeGang([[printed(0)], [printed(1)]])
    const answer = await (await sendResult(reader, job, async () => true)).text()
    expect(answer.match(/"results":\[[^\]]*\]/g)).toEqual(Array(3).fill(`"results":[${json}]`))
    expect(JSON.parse(answer)).toMatchObject({ job_id: job, stdout: `${json}\n` })
  })

  it('has the texts "NaN" and "Infinity" in the results of the response, and the line in its output', async () => {
    const encoder = new OutputEncoder({ limitBytes: 1e6, rank: 0 })
    const line = '{"val_loss": NaN, "best": Infinity, "accuracy": 0.91}'
    const { bytes } = encoder.feed('stdout', Buffer.from(`${line}\n`), new Date(at))
    const job = await makeGang([[bytes.toString().trimEnd()]])
    const response = async () => (await sendResult(reader, job, async () => true)).json()
    const expected = { stdout: `${line}\n`, results: [{ val_loss: 'NaN', best: 'Infinity', accuracy: 0.91 }] }
    expect(await response()).toMatchObject(expected)
    await end(job)
    expect(await response()).toMatchObject(expected)
  })

  it('is not written to the file while a task may still print', async () => {
    const { jobsWithoutResult } = await import('../result-files')
    const job = await makeGang(three)
    await db.pool.query(
      "UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now() WHERE id = $1",
      [job],
    )
    expect(await jobsWithoutResult(9)).toEqual([])
    await db.pool.query("UPDATE tasks SET status = 'failed', ended_at = now()")
    expect(await jobsWithoutResult(9)).toEqual([job])
  })
})

describe('a position in it', () => {
  it('is parsed as it was formatted, also in the form for one task; an invalid one is the beginning', () => {
    const start = { attempt: 2, bytes: [] }
    const moved = advance(advance(start, { rank: 2, records: Buffer.alloc(7) }), {
      rank: 0,
      records: Buffer.alloc(3),
    })
    expect(moved).toEqual({ attempt: 2, bytes: [3, 0, 7] })
    expect(parsePosition('2:3,0,7')).toEqual(moved)
    expect(parsePosition('1:512')).toEqual({ attempt: 1, bytes: [512] })
    for (const wrong of [null, '', '1', '1:', '1:2,', '1:-3', '1:2,x', `1:${'9'.repeat(40)}`])
      expect(parsePosition(wrong)).toEqual({ attempt: 0, bytes: [] })
  })
})
