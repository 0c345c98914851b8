import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, it, vi } from 'vitest'
import { TableEngine } from './table-engine'
import { type TableLimits, tableLimits } from './table-limits'
import type { TableMessage } from './table-messages'

type Content = ArrayBuffer | Uint8Array<ArrayBuffer>

/** The ranges that were requested. */
let requested: [start: number, end: number][] = []

/** A server that answers with the requested part of the file. */
async function sendPart(content: Content, init: RequestInit): Promise<Response> {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get('range') ?? '') ?? []
  const range: [number, number] = [Number(start), Number(end) + 1]
  requested.push(range)
  return new Response(content.slice(...range), { status: 206 })
}

async function open(
  content: Content,
  limits: Partial<TableLimits> = {},
  send: (content: Content, init: RequestInit) => Promise<Response> = sendPart,
) {
  requested = []
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => send(content, init))
  const messages: TableMessage[] = []
  const engine = new TableEngine((message) => messages.push(message), { ...tableLimits, ...limits })
  await engine.receive({ kind: 'open', url: '/file', format: 'parquet', bytes: content.byteLength })
  await engine.receive({ kind: 'cells', id: 1, rows: [0, 10], columns: [0, 20] })
  vi.unstubAllGlobals()
  const cells = messages.at(-1)
  return {
    failure: messages.flatMap((message) => (message.kind === 'failed' ? [message.message] : [])).join(),
    state: messages.findLast((message) => message.kind === 'state')?.state,
    texts: cells?.kind === 'cells' ? cells.cells.texts : [],
  }
}

const column = (rows: number) => [
  { name: 'id', data: Int32Array.from({ length: rows }, (_, row) => row) },
  {
    name: 'name',
    data: Array.from({ length: rows }, (_, row) => (row % 3 === 0 ? null : `name ${row % 10}`)),
    nullable: true,
  },
]

it('shows values of every kind as text, with the types of the file', async () => {
  const file = parquetWriteBuffer({
    columnData: [
      { name: 'float', data: [0.1, -2.5], type: 'FLOAT' },
      { name: 'big', data: [2n ** 60n, -1n], type: 'INT64' },
      { name: 'text', data: ['007', '<b>x</b>'], type: 'STRING' },
      { name: 'flag', data: [true, false], type: 'BOOLEAN' },
      { name: 'at', data: [new Date('2026-01-02T03:04:05Z'), new Date('2026-01-02')], type: 'TIMESTAMP' },
      { name: 'json', data: [{ a: [1] }, null], type: 'JSON', nullable: true },
    ],
  })
  const { state, texts } = await open(file)
  expect(texts).toEqual([
    ['0.1', '1152921504606846976', '007', 'true', '2026-01-02T03:04:05.000Z', '{"a":[1]}'],
    ['-2.5', '-1', '<b>x</b>', 'false', '2026-01-02', ''],
  ])
  expect(state?.columns.map(({ type }) => type)).toEqual([
    'number',
    'number',
    'text',
    'true or false',
    'time',
    'text',
  ])
})

it('reads several row groups in order', async () => {
  const { state, texts } = await open(
    parquetWriteBuffer({ columnData: column(150_000), rowGroupSize: 100_000 }),
  )
  expect(state).toMatchObject({ count: 150_000, loading: false, notices: [] })
  expect(texts.slice(0, 3)).toEqual([
    ['0', ''],
    ['1', 'name 1'],
    ['2', 'name 2'],
  ])
})

it('shows the first rows of a table that is too large', async () => {
  const { state } = await open(parquetWriteBuffer({ columnData: column(100_000) }), { cells: 20_000 })
  expect(state).toMatchObject({
    count: 10_000,
    notices: [expect.stringContaining('only the first 10,000 rows')],
  })
})

it('requests the end of the file, then one row group after the other until the table is full', async () => {
  const file = parquetWriteBuffer({
    columnData: column(1_500_000),
    rowGroupSize: 300_000,
    codec: 'UNCOMPRESSED',
  })
  const { state } = await open(file, { cells: 800_000 })
  expect(state).toMatchObject({ count: 400_000, loading: false })
  const [footer, first, second, ...others] = requested
  expect(others).toEqual([])
  expect(footer).toEqual([file.byteLength - (1 << 19), file.byteLength])
  expect(first?.[0]).toBe(4)
  expect(second?.[0]).toBe(first?.[1])
  const sum = requested.reduce((bytes, [start, end]) => bytes + end - start, 0)
  expect(sum).toBeLessThan(file.byteLength / 2)
})

it('shows a file that is larger than the limit, if its row groups are not', async () => {
  const file = parquetWriteBuffer({
    columnData: column(600_000),
    rowGroupSize: 100_000,
    codec: 'UNCOMPRESSED',
  })
  const { state, failure } = await open(file, { parquetBytes: file.byteLength / 4 })
  expect(failure).toBe('')
  expect(state).toMatchObject({ count: 600_000, loading: false, notices: [] })
})

it('reads the whole file once if the server ignores ranges, up to the limit', async () => {
  const file = parquetWriteBuffer({ columnData: column(150_000), rowGroupSize: 100_000 })
  const send = vi.fn(async (content: Content) => new Response(content))
  expect((await open(file, {}, send)).state).toMatchObject({ count: 150_000, loading: false })
  expect(send).toHaveBeenCalledOnce()
  const { failure } = await open(file, { parquetBytes: file.byteLength - 1 }, send)
  expect(failure).toContain('Download it instead.')
})

it('says that the connection broke', async () => {
  const file = parquetWriteBuffer({ columnData: column(1000) })
  const { failure } = await open(file, {}, async () => new Response('half', { status: 206 }))
  expect(failure).toContain('The connection broke')
})

it.each([
  [{ pageBytes: 100 }, 'more than 100 B when it is unpacked'],
  [{ pageValues: 100 }, 'more than 100 values in a column'],
  [{ parquetBytes: 100 }, 'Parts of at most 100 B can be shown here'],
])('answers in words if a part claims too much: %j', async (limits, message) => {
  const { failure } = await open(parquetWriteBuffer({ columnData: column(50_000) }), limits)
  expect(failure).toContain(message)
})

it('answers in words for a damaged file', async () => {
  const file = new Uint8Array(parquetWriteBuffer({ columnData: column(1000) }))
  expect((await open(new Uint8Array(20))).failure).toContain('The file is not valid Parquet')
  // Each byte in turn: the reader may fail, but must end and say so, or show other values.
  for (let at = 0; at < file.length; at += 37) {
    const damaged = file.slice()
    damaged[at] = (damaged[at] ?? 0) ^ 0xff
    const { failure, state } = await open(damaged)
    expect(failure !== '' || state !== undefined).toBe(true)
  }
})

it('does not confuse columns with the same name', async () => {
  const data = Int32Array.of(1)
  const file = parquetWriteBuffer({
    columnData: [
      { name: 'x', data },
      { name: 'x', data },
    ],
  })
  expect((await open(file)).failure).toContain('Several columns of the Parquet file have the same name.')
})
