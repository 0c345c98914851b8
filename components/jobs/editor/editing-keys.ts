import { getIndentation, IndentContext, indentString, indentUnit } from '@codemirror/language'
import { EditorSelection, type EditorState, type StateCommand } from '@codemirror/state'
import type { KeyBinding } from '@codemirror/view'

/** A new line that begins where its code should. */
export const breakLine: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const change = state.changeByRange(({ from, to }) => {
    const context = new IndentContext(state, { simulateBreak: from })
    const columns = getIndentation(context, from) ?? columnsOf(state, from)
    const insert = `\n${indentString(state, columns)}`
    return { changes: { from, to, insert }, range: EditorSelection.cursor(from + insert.length) }
  })
  dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }))
  return true
}

/** Moves the selected lines in; without a selection, to the next stop from the cursor. */
export const indentMore: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const unit = state.facet(indentUnit)
  if (state.selection.ranges.every(({ empty }) => empty)) {
    const change = state.changeByRange(({ from }) => {
      const column = from - state.doc.lineAt(from).from
      const insert = unit.slice(column % unit.length)
      return { changes: { from, insert }, range: EditorSelection.cursor(from + insert.length) }
    })
    dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input.indent' }))
    return true
  }
  const changes = selectedLines(state)
    .filter(({ text }) => text !== '')
    .map(({ from }) => ({ from, insert: unit }))
  dispatch(state.update({ changes, userEvent: 'input.indent' }))
  return true
}

/** Moves the lines that hold the selection out, as far as they can go. */
export const indentLess: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const unit = state.facet(indentUnit).length
  const changes = selectedLines(state).flatMap(({ from, text }) => {
    const blanks = Math.min(unit, text.length - text.trimStart().length)
    return blanks > 0 ? [{ from, to: from + blanks }] : []
  })
  dispatch(state.update({ changes, userEvent: 'delete.dedent' }))
  return true
}

/** All of the text. A browser's own way gives up where the note of a problem stands below the last line. */
export const selectAll: StateCommand = ({ state, dispatch }) => {
  dispatch(state.update({ selection: { anchor: 0, head: state.doc.length }, userEvent: 'select' }))
  return true
}

export const editingKeys: readonly KeyBinding[] = [
  { key: 'Mod-a', run: selectAll },
  { key: 'Enter', run: breakLine },
  { key: 'Tab', run: indentMore, shift: indentLess },
]

function columnsOf(state: EditorState, at: number): number {
  const { text } = state.doc.lineAt(at)
  return text.length - text.trimStart().length
}

function selectedLines(state: EditorState): { from: number; text: string }[] {
  const starts = new Set<number>()
  for (const { from, to } of state.selection.ranges) {
    for (let line = state.doc.lineAt(from); line.from <= to; line = state.doc.line(line.number + 1)) {
      // A selection that ends before a line's first character does not reach into it.
      if (line.from < to || line.from === from || starts.size === 0) starts.add(line.from)
      if (line.number === state.doc.lines) break
    }
  }
  return [...starts].map((from) => ({ from, text: state.doc.lineAt(from).text }))
}
