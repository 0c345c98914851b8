import { expect, it } from 'vitest'
import { jobs } from '../commands/jobs'
import { fakeContext, jobId, summary } from '../testing/fake-context'
import { formatDuration, formatWhen } from './format'
import { type Column, renderTable } from './table'

const columns: Column<{ name: string; count: number | null }>[] = [
  { title: 'NAME', cell: ({ name }) => name, colour: () => 'red' },
  { title: 'N', cell: ({ count }) => count, right: true },
]
const pipe = { outIsTerminal: false, coloursWanted: true }
const terminal = { outIsTerminal: true, coloursWanted: true }

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
