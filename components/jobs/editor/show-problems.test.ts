import { Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { toDiagnostic } from './show-problems'

const doc = Text.of(['competition_id: "x"', '  expected_time: -1', ''])

function marked(line: number, column?: number): string {
  const { from, to } = toDiagnostic(doc, { line, column, message: 'wrong' })
  return doc.sliceString(from, to)
}

describe('marked text', () => {
  it.each([
    ['the word at the column', 2, 3, 'expected_time'],
    ['the quoted text at the column', 1, 17, '"x"'],
    ['the sign at the column', 1, 15, ':'],
    ['the whole line without its indent, if the problem has no column', 2, undefined, 'expected_time: -1'],
    ['nothing, if the column is past the end of the line', 1, 99, ''],
    ['the last line, if the line of the problem was deleted', 9, undefined, ''],
  ])('%s', (_, line, column, text) => {
    expect(marked(line, column)).toBe(text)
  })
})
