import { describe, expect, it } from 'vitest'
import { jobs } from '../commands/jobs'
import { fakeContext, jobId, summary } from '../testing/fake-context'
import { formatDuration, formatWhen } from './format'
import { type Column, renderTable } from './table'

const columns: Column<{ name: string; count: number | null }>[] = [
  { title: 'NAME', cell: ({ name }) => name, colour: () => 'red' },
  { title: 'N', cell: ({ count }) => count, right: true },
]
const pipe = { outIsTerminal: false, coloursWanted: true, screen: () => null }
const terminal = { outIsTerminal: true, coloursWanted: true, screen: () => null }

it('aligns columns by characters and leaves no trailing spaces', () => {
  const rows = [
    { name: 'žluť😀', count: 1 },
    { name: 'a', count: null },
    { name: 'longer', count: 100 },
  ]
  expect(renderTable(columns, rows, pipe)).toBe(
    ['NAME      N', 'žluť😀     1', 'a         -', 'longer  100', ''].join('\n'),
  )
})

it('uses colours only on a terminal, unless they are disabled', () => {
  const rows = [{ name: 'a', count: 1 }]
  expect(renderTable(columns, rows, terminal)).toContain('\u001b[31ma\u001b[0m')
  expect(renderTable(columns, rows, { ...terminal, coloursWanted: false })).not.toContain('\u001b')
})

it('removes control characters from names', () => {
  expect(renderTable(columns, [{ name: '\u001b[2J\n', count: 1 }], terminal)).not.toContain('\u001b[2J')
})

describe('a table that is wider than the terminal', () => {
  const row = { id: 'a-long-id-1', name: 'a name of 21 letters.', note: null, text: 'twelve chars' }
  const wide: Column<typeof row>[] = [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'NAME', cell: ({ name }) => name, long: true, colour: () => 'red' },
    { title: 'NOTE', cell: ({ note }) => note },
    { title: 'TEXT', cell: ({ text }) => text, long: true },
  ]
  const render = (width: number, columns = wide) =>
    renderTable(columns, [row], {
      ...{ outIsTerminal: true, coloursWanted: false },
      screen: () => ({ rows: 24, columns: width }),
    }).split('\n')[1]

  it.each([
    [54, 'a-long-id-1  a name of 21 letters.  -     twelve chars'],
    [48, 'a-long-id-1  a name of 21 letters.  twelve chars'],
    [40, 'a-long-id-1  a name of 21…  twelve chars'],
    [35, 'a-long-id-1  a name of…  twelve ch…'],
    [31, 'a-long-id-1  a name …  twelve …'],
    [26, 'a-long-id-1  a name …  tw…'],
    [23, 'a-long-id-1  a name …'],
    [8, 'a-long-…'],
  ])(
    'a table in a terminal of %d columns loses empty columns, then the ends of long texts',
    (width, line) => {
      expect(render(width)).toBe(line)
    },
  )

  it('a table without long texts keeps its lines', () => {
    const short = wide.map((column) => ({ ...column, long: false }))
    expect(render(20, short)).toBe('a-long-id-1  a name of 21 letters.  -     twelve chars')
  })

  it('a shortened text keeps its colour', () => {
    const screen = () => ({ rows: 24, columns: 26 })
    expect(renderTable(wide, [row], { ...terminal, screen })).toContain('\u001b[31ma name …\u001b[0m')
  })
})

it('does not shorten the lines of a job list in a pipe', async () => {
  const context = fakeContext(() => Response.json([summary()]))
  await jobs(context, [], { limit: 20 })
  const [head, line, ...rest] = context.written.out.trimEnd().split('\n')
  expect(head).toMatch(/^ID +STATUS +REASON/)
  expect(line).toMatch(new RegExp(`^${jobId}  completed  finished  ada .* baseline  1 min 30 s`))
  expect(rest).toEqual([])
})

it.each([
  [0, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min 0 s'],
  [3661, '1 h 1 min'],
  [90_000, '1 d 1 h'],
])('%d seconds are %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text))

it('distinguishes past and future', () => {
  const now = Date.parse('2026-01-01T00:01:00Z')
  expect(formatWhen('2026-01-01T00:00:00Z', now)).toBe('1 min 0 s ago')
  expect(formatWhen('2026-01-01T00:01:30Z', now)).toBe('in 30 s')
  expect(formatWhen(null, now)).toBeNull()
})
