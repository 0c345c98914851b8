import { Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { toDiagnostic } from './problems'

const doc = Text.of(['competition_id: "x"', '  expected_time: -1', ''])

function marked(line: number, column?: number): string {
  const { from, to } = toDiagnostic(doc, { line, column, message: 'wrong' })
  return doc.sliceString(from, to)
}

describe('marked text', () => {
  it.each([
    ['the word it begins at', 2, 3, 'expected_time'],
    ['a quoted text', 1, 17, '"x"'],
    ['a sign', 1, 15, ':'],
    ['the whole line without its indent, when it names no column', 2, undefined, 'expected_time: -1'],
    ['nothing, past the end of the line', 1, 99, ''],
    ['the last line, when its own is gone', 9, undefined, ''],
  ])('%s', (_, line, column, text) => {
    expect(marked(line, column)).toBe(text)
  })
})
