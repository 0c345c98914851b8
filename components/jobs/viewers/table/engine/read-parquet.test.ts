import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, it, vi } from 'vitest'
import { TableEngine } from './table-engine'
import { type TableLimits, tableLimits } from './table-limits'
import type { TableMessage } from './table-messages'

async function open(content: ArrayBuffer | Uint8Array<ArrayBuffer>, limits: Partial<TableLimits> = {}) {
  vi.stubGlobal('fetch', async () => new Response(content))
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

it.each([
  [{ pageBytes: 100 }, 'more than 100 B when it is unpacked'],
  [{ pageValues: 100 }, 'more than 100 values in a column'],
  [{ parquetBytes: 100 }, 'A Parquet file of at most 100 B can be shown here'],
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
