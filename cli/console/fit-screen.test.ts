import { expect, it } from 'vitest'
import { fitScreen } from './fit-screen'

const text = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at}\n`).join('')

it('returns text that fits unchanged', () => {
  expect(fitScreen(text(9), { rows: 10, columns: 80 })).toBe(text(9))
})

it('cuts text that does not fit and counts the hidden lines', () => {
  expect(fitScreen(text(10), { rows: 10, columns: 80 })).toBe(`${text(8)}… and 2 more lines\n`)
  expect(fitScreen(text(3), { rows: 2, columns: 80 })).toBe('… and 3 more lines\n')
})

it('counts the rows of a long line without its colour codes', () => {
  const coloured = `\u001b[31m${'x'.repeat(10)}\u001b[0m\n`
  expect(fitScreen(coloured + text(3), { rows: 5, columns: 10 })).toBe(coloured + text(3))
  const long = `${'x'.repeat(11)}\n`
  expect(fitScreen(long + text(3), { rows: 5, columns: 10 })).toBe(`${long}line 0\n… and 2 more lines\n`)
})
