import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { python } from '@codemirror/lang-python'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
} from '@codemirror/view'
import { type Ref, type RefObject, useEffect, useId, useImperativeHandle, useRef } from 'react'
import { cn } from '@/components/ui/class-names'
import { Kbd } from '@/components/ui/kbd'
import { editorTheme } from './editor-theme'
import { minimalEdit } from './minimal-edit'
import { isWarning, type Problem, problemNotes, showProblems, toDiagnostic } from './problems'

export type CodeLanguage = 'python' | 'yaml' | 'shell' | 'text'

/** The editor's methods for the rest of the page. */
export interface CodeEditorHandle {
  /** Scrolls to the first error and focuses the editor there. Returns whether there is an error. */
  focusError: () => boolean
}

interface CodeEditorProps {
  ref?: Ref<CodeEditorHandle>
  value: string
  onChange?: (value: string) => void
  language: CodeLanguage
  /** The name of the text, such as "solution.py". */
  label: string
  /** Errors and warnings, shown at their lines. */
  problems?: readonly Problem[]
  placeholder?: string
  /** The line to show and mark, counted from 1. Only for a text that nobody edits. */
  line?: number | undefined
  readOnly?: boolean
  /** Must set the height: the text scrolls inside. */
  className: string
}

const noProblems: readonly Problem[] = []

/** A code editor with highlighting, indentation and problems at their lines. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, problems = noProblems, readOnly = false, className } = props
  const id = useId()
  const host = useCodeMirror(props, readOnly ? undefined : `${id}-keys ${id}-problems`)
  return (
    <div className={cn('flex min-w-0 flex-col', className)}>
      <div
        ref={host}
        className={cn(
          'min-h-0 min-w-0 flex-1 overflow-hidden rounded-md border bg-surface',
          readOnly ? 'border-line' : 'border-edge',
          'has-[.cm-focused]:outline-2 has-[.cm-focused]:outline-focus',
        )}
      />
      {readOnly ? null : (
        <p id={`${id}-keys`} className="pt-1 text-subtle text-xs">
          <Kbd>Tab</Kbd> indents. <Kbd>Esc</Kbd>, then <Kbd>Tab</Kbd> leaves the editor.
        </p>
      )}
      <ul id={`${id}-problems`} aria-live="polite" aria-label={`Problems in ${label}`} className="sr-only">
        {problems.map((problem) => (
          <li key={`${problem.line} ${problem.message}`}>
            Line {problem.line}: {isWarning(problem) ? 'warning: ' : ''}
            {problem.message}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A CodeMirror editor in an element, in sync with React's text and problems. */
function useCodeMirror(
  props: CodeEditorProps,
  describedBy: string | undefined,
): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  // CodeMirror's line ends. Otherwise, a file from Windows would always differ from the editor's text.
  const value = props.value.replace(/\r\n?/g, '\n')
  const { problems = noProblems, language, label, line, readOnly = false, placeholder } = props
  // The editor lives longer than a render and must use the properties of the last render.
  const latest = useRef({ value, problems, onChange: props.onChange })
  useEffect(() => {
    latest.current = { value, problems, onChange: props.onChange }
  })

  useEffect(() => {
    if (!host.current) return
    const attributes = {
      // The content is focusable anyway, but some accessibility checkers do not know that.
      tabindex: '0',
      'aria-label': label,
      ...(describedBy ? { 'aria-describedby': describedBy } : {}),
    }
    const own = new EditorView({
      parent: host.current,
      doc: latest.current.value,
      extensions: [
        languageOf[language],
        commonExtensions,
        EditorView.contentAttributes.of(attributes),
        readOnly
          ? [EditorState.readOnly.of(true), line === undefined ? [] : markLine(line)]
          : [editingExtensions, placeholder ? placeholderText(placeholder) : []],
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange?.(update.state.doc.toString())
        }),
      ],
    })
    own.dispatch(showProblems(own.state, latest.current.problems))
    if (line !== undefined) {
      own.dispatch({ effects: EditorView.scrollIntoView(startOfLine(own.state, line), { y: 'center' }) })
      host.current.scrollIntoView({ block: 'center' })
    }
    view.current = own
    return () => {
      own.destroy()
      view.current = null
    }
  }, [language, label, line, readOnly, placeholder, describedBy])

  useEffect(() => {
    const own = view.current
    const text = own?.state.doc.toString()
    if (own && text !== undefined && text !== value) own.dispatch({ changes: minimalEdit(text, value) })
  }, [value])
  useEffect(() => {
    view.current?.dispatch(showProblems(view.current.state, problems))
  }, [problems])
  useImperativeHandle(props.ref, () => ({
    focusError: () => {
      const own = view.current
      const [first] = problems.filter((problem) => !isWarning(problem)).toSorted((a, b) => a.line - b.line)
      if (!own || !first) return false
      const { from } = toDiagnostic(own.state.doc, first)
      own.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      })
      host.current?.scrollIntoView({ block: 'center' })
      own.focus()
      return true
    },
  }))
  return host
}

function startOfLine({ doc }: EditorState, line: number): number {
  return doc.line(Math.min(line, doc.lines)).from
}

function markLine(line: number): Extension {
  const mark = Decoration.line({ class: 'cm-linked-line', attributes: { 'aria-current': 'location' } })
  return EditorView.decorations.of(({ state }) => Decoration.set(mark.range(startOfLine(state, line))))
}

const languageOf: Record<CodeLanguage, Extension> = {
  python: [python(), indentUnit.of('    ')],
  yaml: [yaml(), indentUnit.of('  ')],
  shell: [],
  text: [],
}

const commonExtensions: Extension = [
  editorTheme,
  lineNumbers(),
  highlightSpecialChars(),
  bracketMatching(),
  drawSelection(),
  EditorView.lineWrapping,
]

const editingExtensions: Extension = [
  history(),
  lintGutter(),
  problemNotes,
  indentOnInput(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
]
