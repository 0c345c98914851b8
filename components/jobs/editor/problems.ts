import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { type EditorState, StateEffect, StateField, type Text, type TransactionSpec } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'

/** A problem and its position. Lines and columns count from 1. */
export interface Problem {
  line: number
  column?: number | undefined
  message: string
}

const setProblems = StateEffect.define<readonly Problem[]>()

/** The messages below each line with problems. Edits move them until the next check. */
export const problemNotes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, transaction) => {
    const effect = transaction.effects.find((candidate) => candidate.is(setProblems))
    return effect ? placeNotes(transaction.state.doc, effect.value) : before.map(transaction.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** The transaction that shows problems in the gutter, in the text and below the line. */
export function showProblems(state: EditorState, problems: readonly Problem[]): TransactionSpec {
  const spec = setDiagnostics(
    state,
    problems.map((problem) => toDiagnostic(state.doc, problem)),
  )
  return { effects: [setProblems.of(problems), ...[spec.effects ?? []].flat()] }
}

function placeNotes(doc: Text, problems: readonly Problem[]): DecorationSet {
  const byLine = new Map<number, string[]>()
  for (const { line, message } of problems) {
    const number = clampLine(doc, line)
    byLine.set(number, [...(byLine.get(number) ?? []), message])
  }
  const marks = [...byLine]
    .sort(([one], [other]) => one - other)
    .flatMap(([number, messages]) => {
      const { from, to } = doc.line(number)
      const note = Decoration.widget({ widget: new Note(messages.join('\n')), block: true, side: 1 })
      return [Decoration.line({ class: 'cm-problem-line' }).range(from), note.range(to)]
    })
  return Decoration.set(marks, true)
}

/** Marks the word or quoted text at the problem's position, or the whole line. */
export function toDiagnostic(doc: Text, { line, column, message }: Problem): Diagnostic {
  const { from, to, text } = doc.line(clampLine(doc, line))
  const start =
    column === undefined ? text.length - text.trimStart().length : Math.min(column - 1, text.length)
  const length =
    column === undefined
      ? text.length - start
      : (/^(?:"[^"]*"|'[^']*'|[\w.-]+|\S)/.exec(text.slice(start))?.[0].length ?? 0)
  return { from: from + start, to: Math.min(to, from + start + length), severity: 'error', message }
}

/** A problem may refer to a line that was deleted since the check. */
function clampLine(doc: Text, line: number): number {
  return Math.min(Math.max(1, line), doc.lines)
}

class Note extends WidgetType {
  constructor(private readonly text: string) {
    super()
  }

  override eq(other: Note): boolean {
    return other.text === this.text
  }

  override toDOM(): HTMLElement {
    const note = document.createElement('div')
    note.className = 'cm-problem-note'
    note.textContent = this.text
    return note
  }
}
