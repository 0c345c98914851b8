import { afterEach, expect, it, vi } from 'vitest'
import type { TableQuery } from './row-order'
import { TableEngine } from './table-engine'
import { type TableLimits, tableLimits } from './table-limits'
import type { TableMessage, TableState } from './table-messages'

afterEach(() => vi.unstubAllGlobals())

type Format = 'csv' | 'tsv' | 'parquet'

/** Opens a file in pieces of a few bytes, as a network may deliver it. */
async function open(content: string | Uint8Array, format: Format = 'csv', limits: Partial<TableLimits> = {}) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const step = Math.max(7, Math.ceil(bytes.length / 1000))
      for (let at = 0; at < bytes.length; at += step) controller.enqueue(bytes.slice(at, at + step))
      controller.close()
    },
  })
  vi.stubGlobal('fetch', async () => new Response(stream))
  const messages: TableMessage[] = []
  const engine = new TableEngine((message) => messages.push(message), { ...tableLimits, ...limits })
  await engine.receive({ kind: 'open', url: '/file', format, bytes: bytes.length })
  const failed = messages.find((message) => message.kind === 'failed')
  if (failed) throw new Error(failed.message)
  const states = messages.flatMap((message) => (message.kind === 'state' ? [message.state] : []))
  const state = states.at(-1) as TableState
  const all: TableQuery = { search: '', filters: [], sort: null }
  return {
    state,
    states,
    names: state.columns.map(({ name }) => name),
    types: state.columns.map(({ type }) => type),
    /** The rows that match, as texts. */
    async rows(query: Partial<TableQuery> = {}): Promise<string[][]> {
      await engine.receive({ kind: 'query', id: 1, query: { ...all, ...query } })
      await engine.receive({ kind: 'cells', id: 2, rows: [0, 1000], columns: [0, 100] })
      const answer = messages.at(-1)
      return answer?.kind === 'cells' ? answer.cells.texts : []
    },
  }
}

const column = (rows: string[][], index = 0) => rows.map((row) => row[index])

it('reads CSV with quotes, line breaks in cells, blank lines, and both kinds of line ends', async () => {
  const table = await open('id,note\r\n1,"a, ""b"""\n\n2,"two\nlines"\r\n3,"=1+1"')
  expect(table.names).toEqual(['id', 'note'])
  expect(await table.rows()).toEqual([
    ['1', 'a, "b"'],
    ['2', 'two\nlines'],
    ['3', '=1+1'],
  ])
})

it.each([
  ['a;b\n1;2\n3;4', 'csv'],
  ['a\tb\n1\t2\n3\t4', 'tsv'],
  ['\ufeffa,b\n1,2\n3,4', 'csv'],
] as const)('finds the delimiter of %j', async (text, format) => {
  const table = await open(text, format)
  expect(table.names).toEqual(['a', 'b'])
  expect(column(await table.rows(), 1)).toEqual(['2', '4'])
})

it('reads UTF-16, and characters that the pieces of the file divide', async () => {
  const utf16 = Uint8Array.from([0xff, 0xfe, ...Buffer.from('n,x\nä,1\n', 'utf16le')])
  expect(await (await open(utf16)).rows()).toEqual([['ä', '1']])
  expect(await (await open('n\n日本語🎉\n'.repeat(1))).rows()).toEqual([['日本語🎉']])
})

it('says that characters are not UTF-8', async () => {
  const table = await open(Uint8Array.from(Buffer.from('n\nä\n', 'latin1')))
  expect(table.state.notices).toEqual(['Some characters are not UTF-8. They are shown as \ufffd.'])
  expect((await open('n\nä\n')).state.notices).toEqual([])
})

it('shows columns with the same name with their own cells', async () => {
  const table = await open('x,x\n1,2\n')
  expect([table.names, await table.rows()]).toEqual([['x', 'x'], [['1', '2']]])
})

it('shows the first columns of a row of half a million cells', async () => {
  const table = await open(`${','.repeat(500_000)}\n1\n`)
  expect(table.names).toHaveLength(1000)
  expect(table.state.notices).toContain('The table has only the first 1,000 of 500,001 columns.')
})

it('names the type of each column, and keeps every digit of its numbers', async () => {
  const table = await open(
    'a,b,c,d,e\n1.50,x,True,2026-01-02,\n12345678901234567890,2,false,2026-01-02T03:04:05Z,\nnan,,,,',
  )
  expect(table.types).toEqual(['number', 'text', 'true or false', 'time', 'text'])
  expect(column(await table.rows())).toEqual(['1.50', '12345678901234567890', 'nan'])
})

it('sorts numbers as numbers and text without regard to capitals, equal rows in their order, empty cells last', async () => {
  const table = await open('n,t\n10,b\n,B\n9,\n-inf,a\n10,A\nnan,c\n')
  const sorted = (index: number, descending: boolean) => table.rows({ sort: { column: index, descending } })
  expect(await sorted(0, false)).toEqual([
    ['-inf', 'a'],
    ['9', ''],
    ['10', 'b'],
    ['10', 'A'],
    ['', 'B'],
    ['nan', 'c'],
  ])
  expect(column(await sorted(0, true))).toEqual(['10', '10', '9', '-inf', '', 'nan'])
  expect(column(await sorted(1, false), 1)).toEqual(['a', 'A', 'b', 'B', 'c', ''])
  expect(column(await sorted(1, true), 1)).toEqual(['c', 'b', 'B', 'a', 'A', ''])
})

it('filters by numbers, by text in a column, and by text in any column', async () => {
  const table = await open('n,t,u\n1,Apple,x\n2,banana,ä\n3,CHERRY,APPLE\n,äpfel,y\n')
  const numbers = async (text: string) => column(await table.rows({ filters: [{ column: 0, text }] }))
  expect(await numbers('> 1')).toEqual(['2', '3'])
  expect(await numbers('<=2')).toEqual(['1', '2'])
  expect(await numbers('!= 2')).toEqual(['1', '3'])
  expect(await numbers('2..3')).toEqual(['2', '3'])
  expect(await numbers('3')).toEqual(['3'])
  expect(column(await table.rows({ search: ' apple ' }))).toEqual(['1', '3'])
  expect(column(await table.rows({ search: 'Ä' }))).toEqual(['2', ''])
  expect(
    await table.rows({
      search: 'e',
      filters: [{ column: 0, text: '>1' }],
      sort: { column: 1, descending: true },
    }),
  ).toEqual([['3', 'CHERRY', 'APPLE']])
})

it('finds no text that begins in one cell and ends in the next one', async () => {
  const table = await open('t\nab\ncd\nbc\n')
  expect(column(await table.rows({ search: 'bc' }))).toEqual(['bc'])
})

it('reads a file of many rows in order', async () => {
  const table = await open(
    `n,t\n${Array.from({ length: 200_000 }, (_, row) => `${row},row ${row}\n`).join('')}`,
  )
  expect(table.state.count).toBe(200_000)
  expect(table.states.some(({ loading }) => loading)).toBe(true)
  expect(await table.rows({ sort: { column: 0, descending: true }, search: 'row 19999' })).toEqual([
    ...[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((digit) => [`19999${digit}`, `row 19999${digit}`]),
    ['19999', 'row 19999'],
  ])
})

it('answers in words if a row is too long to be one', async () => {
  await expect(open('x'.repeat(3 << 20))).rejects.toThrow('The first row is longer than 1.0 MiB.')
  await expect(open(`"${'x\n'.repeat(1 << 20)}`)).rejects.toThrow('a quote is not closed')
  const table = await open(`a\n1\n2\n${'x'.repeat(3 << 20)}`)
  expect(table.state.notices).toEqual([expect.stringMatching(/^Row 4 of the file is longer than 1.0 MiB/)])
  expect(column(await table.rows())).toEqual(['1', '2'])
})

it('does not read on after a row that is too long', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent++
      controller.enqueue(new Uint8Array(1 << 16).fill(120))
    },
  })
  vi.stubGlobal('fetch', async () => new Response(endless))
  const messages: TableMessage[] = []
  const engine = new TableEngine((message) => messages.push(message))
  await engine.receive({ kind: 'open', url: '/file', format: 'csv', bytes: 2 ** 31 })
  expect(messages.at(-1)).toEqual({ kind: 'failed', message: expect.stringContaining('longer than 1.0 MiB') })
  expect(sent).toBeLessThan(100)
})

it('says which rows, columns and cells it does not show', async () => {
  const rows = await open('a\n1\n2\n3\n', 'csv', { cells: 2 })
  expect(rows.state.count).toBe(2)
  expect(rows.state.notices).toEqual([expect.stringMatching(/^The table has only the first 2 rows/)])
  const columns = await open('a,b,c\n1,2,3\n', 'csv', { columns: 2 })
  expect(columns.state.notices).toEqual(['The table has only the first 2 of 3 columns.'])
  const bytes = await open(`a\n${'word\n'.repeat(9)}`, 'csv', { bytes: 8 })
  expect(bytes.state.count).toBe(2)
})

it('names columns without a name, and adds columns for longer rows', async () => {
  const table = await open('a,,a\n1,2,3,4\n')
  expect(table.names).toEqual(['a', 'column 2', 'a', 'column 4'])
  expect(await table.rows()).toEqual([['1', '2', '3', '4']])
})

it.each([
  ['', 'The file has no rows.'],
  [`a\0b${'x'.repeat(20)}`, 'The file is not text.'],
])('answers in words for %j', async (text, message) => {
  await expect(open(text)).rejects.toThrow(message)
})

it('shows the reason of the server, and of a lost connection', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ detail: 'The file was deleted.' }, { status: 404 }))
  const messages: TableMessage[] = []
  const engine = new TableEngine((message) => messages.push(message))
  await engine.receive({ kind: 'open', url: '/file', format: 'csv', bytes: 1 })
  expect(messages).toEqual([{ kind: 'failed', message: 'The file was deleted.' }])
})

it('keeps the rows that were read before the user stopped', async () => {
  const part = new TextEncoder().encode(`n\n${'1234567\n'.repeat(100_000)}`)
  const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(part) })
  vi.stubGlobal('fetch', async () => new Response(endless))
  const states: TableState[] = []
  const engine = new TableEngine((message) => {
    if (message.kind !== 'state') return
    states.push(message.state)
    if (message.state.loading) void engine.receive({ kind: 'stop' })
  })
  await engine.receive({ kind: 'open', url: '/file', format: 'csv', bytes: 2 ** 31 })
  expect(states.at(-1)).toMatchObject({
    loading: false,
    notices: [expect.stringContaining('You stopped the loading.')],
  })
  expect(states.at(-1)?.count).toBeGreaterThan(0)
})
