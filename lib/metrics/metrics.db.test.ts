import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { placeManually } from '../cluster/testing/placed'
import { copyRows, makeJob, makeNode } from '../cluster/testing/rows'
import { encodeName } from '../contract/text/encode-name'
import { testDatabase } from '../database/testing/test-database'
import { OutputEncoder } from '../results/encode'
import { jobMetricsSchema } from './contract'
import { metricRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
const at = new Date('2026-11-23T12:00:00.000Z')

let ada: Person
beforeAll(async () => {
  ada = await makePerson()
})

/** A running job of Ada. */
async function runningJob(): Promise<{ job: string; task: string }> {
  const lease = await makeNode()
  const job = await makeJob({ userId: ada.id })
  return { job, task: await placeManually(lease.nodeId, job) }
}

async function print(task: string, text: string): Promise<void> {
  const { bytes } = new OutputEncoder({ limitBytes: 1 << 30 }).feed('stdout', Buffer.from(text), at)
  await db.pool.query(
    `WITH chunk AS (INSERT INTO log_chunks (task_id, start, records) SELECT id, output_bytes, $2 FROM tasks WHERE id = $1)
     UPDATE tasks SET output_bytes = output_bytes + octet_length($2) WHERE id = $1`,
    [task, bytes],
  )
}

const get = (job: string, query = '', { cookie } = ada) =>
  call(metricRoutes.metrics, `/api/jobs/${job}/metrics?${query}`, { cookie, params: { id: job } })

/** Asks until the whole output was read. */
async function read(job: string, query = '') {
  for (;;) {
    const metrics = jobMetricsSchema.parse((await get(job, query)).body)
    if (metrics.complete) return metrics
  }
}

describe('the metrics of a job', () => {
  it('are the numbers of its lines of JSON, and continue while it runs', async () => {
    const { job, task } = await runningJob()
    expect(await read(job)).toMatchObject({ lines: 0, names: [], series: [], x: 'line', progress: 1 })
    await print(task, 'start\n{"step":1,"loss":2}\n{"step":2,"loss":NaN}\n{"note":"x"}\n')
    expect(await read(job)).toMatchObject({
      x: 'step',
      axes: ['step', 'line', 'time'],
      names: ['loss'],
      name_count: 1,
      approximate: false,
      series: [{ name: 'loss', count: 2, not_finite: 1, last: 2, x: [1, 2], y: [2, null] }],
    })
    await print(task, '{"step":3,"loss":0.5,"epoch":1}\n')
    expect(await read(job, 'x=line')).toMatchObject({
      x: 'line',
      lines: 3,
      names: ['loss', 'step', 'epoch'],
      series: [
        { x: [1, 2, 3], y: [2, null, 0.5] },
        { name: 'step', x: [1, 2, 3] },
        { x: [3], y: [1] },
      ],
    })
    expect(await read(job, 'x=nothing&from=2&to=3')).toMatchObject({
      x: 'step',
      series: [
        { name: 'loss', count: 3, x: [2, 3], y: [null, 0.5] },
        { name: 'epoch', x: [3] },
      ],
    })
  })

  it('are at most 10,000, of which some are in an answer, and a search finds the others', async () => {
    const { job, task } = await runningJob()
    const line = Object.fromEntries(
      Array.from({ length: 12_000 }, (_, index) => [`layer.${index}, %`, index]),
    )
    await print(task, `${JSON.stringify({ step: 1, ...line })}\n`)
    const all = await read(job)
    expect(all).toMatchObject({ name_count: 9_999 })
    expect(all.names).toHaveLength(1000)
    expect(all.series).toHaveLength(24)
    const found = await read(job, 'search=LAYER.77&limit=2')
    expect(found.series.map(({ name }) => name)).toEqual(['layer.77, %', 'layer.770, %'])
    const names = ['layer.9, %', 'unknown', 'layer.8, %'].map(encodeName).map(encodeURIComponent)
    expect((await read(job, `names=${names}`)).series.map(({ name, last }) => [name, last])).toEqual([
      ['layer.9, %', 9],
      ['layer.8, %', 8],
    ])
  })

  it('are those of the first rank that printed any, or of a rank that was asked for', async () => {
    const { job, task } = await runningJob()
    const [second = ''] = await copyRows('tasks', task, { rank: 1, metrics: { loss: 1 } })
    await print(second, '{"loss":1}\n')
    await print(task, 'text\n')
    expect(await read(job)).toMatchObject({ rank: 1, names: ['loss'] })
    expect(await read(job, 'rank=0')).toMatchObject({ rank: 0, names: [] })
    expect(await read(job, 'rank=5')).toMatchObject({ rank: 5, names: [] })
  })

  it('the metrics of a job of many lines come in several answers, and a point stands for many values', async () => {
    const { job, task } = await runningJob()
    const lines = (first: number) =>
      Array.from({ length: 8_000 }, (_, of) => `{"step":${first + of},"loss":${1 / (first + of + 1)}}\n`)
    for (let first = 0; first < 200_000; first += 8_000) await print(task, lines(first).join(''))
    const { series, lines: count, approximate } = await read(job, 'points=500')
    expect({ count, approximate }).toEqual({ count: 200_000, approximate: false })
    expect(series[0]).toMatchObject({ name: 'loss', count: 200_000, last: 1 / 200_000 })
    expect(series[0]?.x).toHaveLength(500)
    expect(series[0]?.high?.[0]).toBe(1)
  })

  it('the metrics of a job of another user, or of an unknown job, do not exist', async () => {
    const { job } = await runningJob()
    const bob = await makePerson()
    expect(await get(job, '', bob)).toMatchObject({ status: 404 })
    expect(await get('x')).toMatchObject({ status: 404 })
    const csv = { cookie: bob.cookie, params: { id: job } }
    expect(await call(metricRoutes.metricsCsv, `/api/jobs/${job}/metrics.csv?names=a`, csv)).toMatchObject({
      status: 404,
    })
  })

  it('do not exist after the files of the job were deleted', async () => {
    const { job } = await runningJob()
    await db.pool.query(`UPDATE jobs SET files_deleted = 'on_request' WHERE id = $1`, [job])
    expect(await get(job)).toMatchObject({ status: 404, body: { detail: expect.stringMatching(/deleted/) } })
  })

  it.each([
    ['points=1', /points/],
    ['points=1e9', /points/],
    ['rank=-1', /rank/],
    ['from=x', /from/],
    [`names=${Array.from({ length: 49 }, (_, index) => index)}`, /at most 48/],
    [`search=${'x'.repeat(129)}`, /search/],
  ])('refuse %s in words', async (query, words) => {
    const { job } = await runningJob()
    const { status, body } = await get(job, query)
    expect(status).toBe(422)
    expect(JSON.stringify(body)).toMatch(words)
  })
})

it('the metrics as CSV have all values', async () => {
  const { job, task } = await runningJob()
  await print(task, '{"step":1,"loss":2}\n{"step":2}\n{"loss":NaN}\n')
  const response = await metricRoutes.metricsCsv(
    new Request(`http://gpuq.test/api/jobs/${job}/metrics.csv?names=step,loss`, {
      headers: { cookie: ada.cookie },
    }),
    { params: Promise.resolve({ id: job }) },
  )
  expect(response.headers.get('content-disposition')).toContain(`${job}.csv`)
  const time = at.toISOString()
  expect(await response.text()).toBe(
    `line,time,step,loss\r\n1,${time},1,2\r\n2,${time},2,\r\n3,${time},,NaN\r\n`,
  )
})
