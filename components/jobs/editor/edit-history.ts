import {
  Annotation,
  type ChangeSet,
  type EditorSelection,
  type Extension,
  StateField,
  Transaction,
} from '@codemirror/state'
import { type Command, EditorView, type KeyBinding } from '@codemirror/view'

/** What takes the document back one step. */
interface Step {
  inverse: ChangeSet
  selection: EditorSelection
  /** The kind of change and when it was last added to, to tell typing on from starting anew. */
  event: string
  at: number
}

interface History {
  done: readonly Step[]
  undone: readonly Step[]
}

const keptSteps = 200
/** Typing that goes on within this many milliseconds is one step. */
const pause = 500

const travel = Annotation.define<'undo' | 'redo'>()

const history = StateField.define<History>({
  create: () => ({ done: [], undone: [] }),
  update: (before, transaction) => {
    if (!transaction.docChanged) return transaction.selection ? closeStep(before) : before
    const step = toStep(transaction)
    switch (transaction.annotation(travel)) {
      case 'undo':
        return { done: before.done.slice(0, -1), undone: [...before.undone, step] }
      case 'redo':
        return { done: [...before.done, step], undone: before.undone.slice(0, -1) }
      default:
        return { done: addStep(before.done, step), undone: [] }
    }
  },
})

function toStep(transaction: Transaction): Step {
  const { changes, startState } = transaction
  const event = ['input.type', 'delete'].find((kind) => transaction.isUserEvent(kind)) ?? ''
  const at = event === '' ? Number.NEGATIVE_INFINITY : (transaction.annotation(Transaction.time) ?? 0)
  return { inverse: changes.invert(startState.doc), selection: startState.selection, event, at }
}

function addStep(steps: readonly Step[], step: Step): readonly Step[] {
  const last = steps.at(-1)
  if (!last || last.event === '' || last.event !== step.event || step.at - last.at > pause) {
    return [...steps, step].slice(-keptSteps)
  }
  const joined = { ...step, inverse: step.inverse.compose(last.inverse), selection: last.selection }
  return [...steps.slice(0, -1), joined]
}

/** Moving the cursor ends a step: what is typed elsewhere is another. */
function closeStep({ done, undone }: History): History {
  const last = done.at(-1)
  if (!last || last.event === '') return { done, undone }
  return { done: [...done.slice(0, -1), { ...last, event: '' }], undone }
}

function move(direction: 'undo' | 'redo'): Command {
  return (view) => {
    const { done, undone } = view.state.field(history)
    const step = (direction === 'undo' ? done : undone).at(-1)
    if (!step || view.state.readOnly) return false
    view.dispatch({
      changes: step.inverse,
      selection: step.selection,
      annotations: travel.of(direction),
      userEvent: direction,
      scrollIntoView: true,
    })
    return true
  }
}

export const undo = move('undo')
export const redo = move('redo')

export const historyKeys: readonly KeyBinding[] = [
  { key: 'Mod-z', run: undo, preventDefault: true },
  { key: 'Mod-y', mac: 'Mod-Shift-z', run: redo, preventDefault: true },
  { linux: 'Ctrl-Shift-z', key: 'Mod-Shift-z', run: redo, preventDefault: true },
]

/** Undo and redo. The browser's own knows nothing of the changes that a program makes to the text. */
export function editHistory(): Extension {
  return [
    history,
    EditorView.domEventHandlers({
      beforeinput: (event, view) => {
        const command = { historyUndo: undo, historyRedo: redo }[event.inputType]
        if (!command) return false
        event.preventDefault()
        return command(view)
      },
    }),
  ]
}
