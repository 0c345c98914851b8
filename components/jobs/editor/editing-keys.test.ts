import { python } from '@codemirror/lang-python'
import { yaml } from '@codemirror/lang-yaml'
import { indentUnit } from '@codemirror/language'
import { EditorState, type StateCommand } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { breakLine, indentLess, indentMore, selectAll } from './editing-keys'

/** The text after a command; `|` marks the ends of the selection, before and after. */
function run(command: StateCommand, marked: string, language = python()): string {
  const [before = '', ...others] = marked.split('|')
  const doc = before + others.join('')
  const head = others.length > 1 ? before.length + (others[0]?.length ?? 0) : before.length
  let state = EditorState.create({
    doc,
    selection: { anchor: before.length, head },
    extensions: [language, indentUnit.of('    ')],
  })
  command({
    state,
    dispatch: (transaction) => {
      state = transaction.state
    },
  })
  const { from, to, empty } = state.selection.main
  const text = state.doc.toString()
  return empty
    ? `${text.slice(0, from)}|${text.slice(from)}`
    : `${text.slice(0, from)}|${text.slice(from, to)}|${text.slice(to)}`
}

describe('Enter', () => {
  it('indents after what opens a block, and keeps to the block', () => {
    expect(run(breakLine, 'def f():|')).toBe('def f():\n    |')
    expect(run(breakLine, 'def f():\n    x = 1|')).toBe('def f():\n    x = 1\n    |')
    expect(run(breakLine, 'a|bc|d')).toBe('a\n|d')
  })

  it('keeps the depth in YAML', () => {
    expect(run(breakLine, 'env:\n  A: "1"|', yaml())).toBe('env:\n  A: "1"\n  |')
  })
})

describe('Tab', () => {
  it('goes to the next stop', () => {
    expect(run(indentMore, '|x')).toBe('    |x')
    expect(run(indentMore, 'ab|')).toBe('ab  |')
  })

  it('moves the selected lines, but no empty one and none that the selection only touches', () => {
    expect(run(indentMore, '|a\n\nb\n|c')).toBe('    |a\n\n    b\n|c')
    expect(run(indentLess, '|    a\n  b\nc|')).toBe('|a\nb\nc|')
  })

  it('moves out the line of the cursor, as far as it goes', () => {
    expect(run(indentLess, '  x|')).toBe('x|')
    expect(run(indentLess, 'x|')).toBe('x|')
  })
})

describe('selecting all', () => {
  it('takes the text from end to end', () => {
    expect(run(selectAll, 'a\nb|c\n')).toBe('|a\nbc\n|')
    expect(run(selectAll, '|')).toBe('|')
  })
})
