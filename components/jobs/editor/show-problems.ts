import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { type EditorState, StateEffect, StateField, type Text, type TransactionSpec } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { isWarning, type Problem } from './problem'

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
  const byLine = new Map<number, Problem[]>()
  for (const problem of problems) {
    const number = clampLine(doc, problem.line)
    byLine.set(number, [...(byLine.get(number) ?? []), problem])
  }
  const marks = [...byLine]
    .sort(([one], [other]) => one - other)
    .flatMap(([number, ofLine]) => {
      const { from, to } = doc.line(number)
      const text = ofLine.map(({ message }) => message).join('\n')
      const warning = ofLine.every(isWarning)
      const note = Decoration.widget({ widget: new Note(text, warning), block: true, side: 1 })
      return [Decoration.line({ class: classOf('cm-problem-line', warning) }).range(from), note.range(to)]
    })
  return Decoration.set(marks, true)
}

function classOf(name: string, warning: boolean): string {
  return warning ? `${name} cm-warning` : name
}

/** Marks the word or quoted text at the problem's position, or the whole line. */
export function toDiagnostic(doc: Text, problem: Problem): Diagnostic {
  const { line, column, message } = problem
  const { from, to, text } = doc.line(clampLine(doc, line))
  const start =
    column === undefined ? text.length - text.trimStart().length : Math.min(column - 1, text.length)
  const length =
    column === undefined
      ? text.length - start
      : (/^(?:"[^"]*"|'[^']*'|[\w.-]+|\S)/.exec(text.slice(start))?.[0].length ?? 0)
  return {
    from: from + start,
    to: Math.min(to, from + start + length),
    severity: problem.severity ?? 'error',
    message,
  }
}

/** A problem may refer to a line that was deleted since the check. */
function clampLine(doc: Text, line: number): number {
  return Math.min(Math.max(1, line), doc.lines)
}

class Note extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly warning: boolean,
  ) {
    super()
  }

  override eq(other: Note): boolean {
    return other.text === this.text && other.warning === this.warning
  }

  override toDOM(): HTMLElement {
    const note = document.createElement('div')
    note.className = classOf('cm-problem-note', this.warning)
    note.textContent = this.text
    return note
  }
}
