import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { editHistory, redo, undo } from './edit-history'

/** As much of a view as commands use: the state, and a way to change it. */
class StateHolder {
  state = EditorState.create({ extensions: [editHistory()] })

  dispatch(spec: TransactionSpec) {
    this.state = this.state.update(spec).state
  }

  get text(): string {
    return this.state.doc.toString()
  }

  type(text: string, at = this.state.doc.length) {
    this.dispatch({
      changes: { from: at, insert: text },
      selection: { anchor: at + text.length },
      userEvent: 'input.type',
    })
  }

  run(command: typeof undo): boolean {
    return command(this as unknown as EditorView)
  }
}

describe('undo and redo', () => {
  let clock = 0
  beforeEach(() => {
    clock = 0
    vi.spyOn(Date, 'now').mockImplementation(() => clock)
  })
  afterEach(() => vi.restoreAllMocks())

  it('takes back what was typed in one go as one step', () => {
    const holder = new StateHolder()
    for (const letter of 'abc') holder.type(letter)
    clock += 1000
    holder.type('d')
    expect(holder.run(undo)).toBe(true)
    expect(holder.text).toBe('abc')
    holder.run(undo)
    expect(holder.text).toBe('')
    expect(holder.run(undo)).toBe(false)
    holder.run(redo)
    holder.run(redo)
    expect(holder.text).toBe('abcd')
    expect(holder.run(redo)).toBe(false)
  })

  it('starts another step after the cursor moved, and after a change of another kind', () => {
    const holder = new StateHolder()
    holder.type('a')
    holder.dispatch({ selection: { anchor: 0 } })
    holder.type('b', 0)
    holder.dispatch({ changes: { from: 0, to: 1 }, userEvent: 'delete.backward' })
    expect(holder.text).toBe('a')
    holder.run(undo)
    expect(holder.text).toBe('ba')
    holder.run(undo)
    expect(holder.text).toBe('a')
  })

  it('takes back what a program changed, and forgets what was undone once something else is typed', () => {
    const holder = new StateHolder()
    holder.dispatch({ changes: { from: 0, insert: 'by a form' } })
    holder.run(undo)
    holder.type('x')
    expect(holder.run(redo)).toBe(false)
    expect(holder.text).toBe('x')
  })

  it('comes back to every text it went through', () => {
    const edit = fc.record({ at: fc.nat(30), remove: fc.nat(5), insert: fc.string({ maxLength: 4 }) })
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 20 }), (edits) => {
        const holder = new StateHolder()
        const texts = [holder.text]
        for (const { at, remove, insert } of edits) {
          const from = Math.min(at, holder.text.length)
          holder.dispatch({ changes: { from, to: Math.min(from + remove, holder.text.length), insert } })
          if (holder.text !== texts.at(-1)) texts.push(holder.text)
        }
        while (holder.run(undo)) expect(texts).toContain(holder.text)
        expect(holder.text).toBe('')
        while (holder.run(redo)) expect(texts).toContain(holder.text)
        expect(holder.text).toBe(texts.at(-1))
      }),
    )
  })
})
