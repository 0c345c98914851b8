import { describe, expect, it } from 'vitest'
import { alignTo } from './align'
import { Column } from './column'
import { csvLines } from './csv-lines'
import { downsample } from './downsample'
import { MetricLines } from './metric-lines'
import { SeriesStore } from './series-store'

const t = (second: number) => new Date(Date.UTC(2026, 10, 23, 12, 0, second)).toISOString()
const result = (data: string, second = 0) => `{"type":"result","t":"${t(second)}","data":${data}}\n`
const printed = (text: string) => `${JSON.stringify({ type: 'stdout', t: t(0), text })}\n`

function storeOf(...lines: unknown[]): SeriesStore {
  const store = new SeriesStore()
  for (const [second, line] of lines.entries()) store.add(line, t(second))
  return store
}

const pointsOf = (store: SeriesStore, name: string, axis: string) => {
  const { x, y } = alignTo(store, name, axis)
  return Array.from(x, (value, at) => [value, y[at]])
}

describe('the lines with metrics', () => {
  const read = (text: string, size: number) => {
    const found: unknown[] = []
    const lines = new MetricLines((value) => found.push(value))
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) lines.push(bytes.subarray(at, at + size))
    return found.filter((value) => value !== undefined)
  }
  const text =
    result('{"a":1}') +
    printed('{"a": NaN}') +
    printed('no JSON: NaN') +
    printed('{"a": 2}') +
    `{"type":"stderr","t":"${t(0)}","text":"{\\"a\\": NaN}"}\n` +
    result('{"a":"é"}')

  it.each([1, 7, 1000])('are found in pieces of %i bytes', (size) => {
    expect(read(text, size)).toEqual([{ a: 1 }, { a: 'NaN' }, { a: 'é' }])
  })

  it('are not parsed if they are longer than 1 MiB', () => {
    const long = result(`{"a":1,"text":"${'x'.repeat((1 << 20) + 1024)}"}`)
    expect(read(long + result('{"a":2}'), 64 * 1024)).toEqual([{ a: 2 }])
  })
})

describe('the x axis', () => {
  it('is the finest counter, and all axes can be chosen', () => {
    const store = storeOf({ epoch: 1, step: 10, loss: 3 }, { epoch: 1, step: 20, loss: 2 }, { acc: 0.5 })
    expect(store.axes).toEqual(['step', 'epoch', 'line', 'time'])
    expect(pointsOf(store, 'loss', 'step')).toEqual([
      [10, 3],
      [20, 2],
    ])
    expect(pointsOf(store, 'loss', 'time')).toEqual([
      [0, 3],
      [1, 2],
    ])
    expect(pointsOf(store, 'acc', 'line')).toEqual([[3, 0.5]])
  })

  it('continues for lines without the counter, and has no values before its first one', () => {
    const store = storeOf({ acc: 0.1 }, { step: 5, loss: 1 }, { acc: 0.5 })
    expect(pointsOf(store, 'acc', 'step')).toEqual([[5, 0.5]])
  })

  it('is sorted if a program continued from a checkpoint', () => {
    const store = storeOf(
      { step: 1, loss: 3 },
      { step: 2, loss: 2 },
      { step: 1, loss: 4 },
      { step: 3, loss: 1 },
    )
    expect(pointsOf(store, 'loss', 'step')).toEqual([
      [1, 3],
      [1, 4],
      [2, 2],
      [3, 1],
    ])
  })
})

describe('a series', () => {
  it('counts values that are not finite, and has the last finite one', () => {
    const column = storeOf(
      { loss: 1 },
      { loss: 'NaN' },
      { loss: 2 },
      { loss: Number.POSITIVE_INFINITY },
    ).columns.get('loss')
    expect(column).toMatchObject({ count: 4, notFinite: 2, last: 2 })
  })

  it('keeps its peaks when it has fewer points', () => {
    const values = Array.from({ length: 100_000 }, (_, at) => Math.sin(at / 5_000) + (at === 61_234 ? 9 : 0))
    const { x, y, low, high } = downsample({ x: values.map((_, at) => at), y: values }, 1000)
    expect(x).toHaveLength(1000)
    expect(x).toEqual([...x].sort((one, other) => one - other))
    expect(x.filter((step) => !Number.isInteger(step))).toEqual([])
    expect(Math.max(...(high ?? []).map(Number))).toBe(values[61_234])
    expect(Math.min(...(low ?? []).map(Number))).toBe(Math.min(...values))
    y.forEach((mean, at) => {
      expect(mean).toBeGreaterThanOrEqual(low?.[at] ?? 9)
      expect(mean).toBeLessThanOrEqual(high?.[at] ?? -9)
    })
  })

  it('has all values of a range that is small enough', () => {
    const x = Array.from({ length: 10_000 }, (_, at) => at)
    const range = downsample({ x, y: x }, 10, { from: 500, to: 504 })
    expect(range).toEqual({ x: [500, 501, 502, 503, 504], y: [500, 501, 502, 503, 504] })
    expect(downsample({ x, y: x }, 10, { from: 20_000 })).toEqual({ x: [], y: [] })
  })

  it('may have one x, huge values and nothing finite', () => {
    const y = [1e308, 1e308, 1e308, Number.NaN]
    expect(downsample({ x: [1, 1, 1, 1], y }, 2)).toEqual({ x: [1], y: [1e308], low: [1e308], high: [1e308] })
    expect(downsample({ x: [1, 2, 3], y: [Number.NaN, Number.NaN, Number.NaN] }, 2).y).toEqual([null, null])
    expect(downsample({ x: [1, 2], y: [Number.NaN, 3] }, 5)).toEqual({ x: [1, 2], y: [null, 3] })
  })
})

describe('the memory of a job', () => {
  it('is bounded: the values are thinned and keep their peaks', () => {
    const store = new SeriesStore(1000)
    for (let step = 0; step < 20_000; step++)
      store.add({ step, loss: step === 777 ? 99 : 1 / (step + 1) }, t(0))
    expect(store.size).toBeLessThanOrEqual(1000)
    expect(store.thinned).toBe(true)
    const { x, y } = alignTo(store, 'loss', 'step')
    expect(Math.max(...y)).toBe(99)
    expect(Math.abs((x[y.indexOf(99)] ?? 0) - 777)).toBeLessThan(200)
    expect(store.columns.get('loss')).toMatchObject({ count: 20_000, last: 1 / 20_000 })
  })

  it('is bounded: a job has at most 10,000 metrics', () => {
    const store = new SeriesStore()
    for (let at = 0; at < 11_000; at++) store.add({ [`loss ${at}`]: 1 }, t(0))
    expect(store.columns.size).toBe(10_000)
  })

  it('keeps the order of lines when a column is thinned', () => {
    const column = new Column()
    const values = [5, 1, 9, 2, Number.NaN, Number.NaN, 3, 4, 7]
    for (const [row, value] of values.entries()) column.push(row, value)
    column.thin()
    for (const [row, value] of [6, 8, 2, 5, 1].entries()) column.push(9 + row, value)
    expect([...column.rows]).toEqual([1, 2, 6, 7, 8, 10, 11, 13])
    expect([...column.values]).toEqual([1, 9, 3, 4, 7, 8, 2, 1])
    expect(column).toMatchObject({ count: 14, notFinite: 2, last: 1 })
  })
})

describe('CSV', () => {
  it('has a row for each line with one of the metrics, with the printed digits', async () => {
    async function* output() {
      yield Buffer.from(result('{"step":1,"loss":0.5}') + result('{"other":1}', 1))
      yield Buffer.from(
        result('{"step":1e1,"loss":12345678901234567890}') + result('{"step":11,"loss":"-Infinity"}'),
      )
      yield Buffer.from(result('{"text":"x"}') + printed('{"step":2,"loss":NaN}') + result('{"=a,b":3}', 2))
    }
    const parts: Buffer[] = []
    for await (const part of csvLines(output(), ['step', 'loss', '=a,b'])) parts.push(part)
    expect(Buffer.concat(parts).toString().split('\r\n')).toEqual([
      `line,time,step,loss,"'=a,b"`,
      `1,${t(0)},1,0.5,`,
      `3,${t(0)},1e1,12345678901234567890,`,
      `4,${t(0)},11,-Infinity,`,
      `5,${t(0)},2,NaN,`,
      `6,${t(2)},,,3`,
      '',
    ])
  })
})
