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
import { type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import type { CodeEditorProps, CodeLanguage, EditorFocus } from './editor-props'
import { editorTheme } from './editor-theme'
import { minimalEdit } from './minimal-edit'
import { isWarning, type Problem } from './problem'
import { problemNotes, showProblems, toDiagnostic } from './show-problems'

interface CodeMirrorProps extends Omit<CodeEditorProps, 'className' | 'startLine'> {
  /** The ids of the elements that describe the editor. */
  describedBy: string | undefined
  /** Where the focus goes when the editor appears; null: it stays where it is. */
  focus: RefObject<EditorFocus | null>
}

const noProblems: readonly Problem[] = []

/** A CodeMirror editor, in sync with React's text and problems. */
export function CodeMirror({ describedBy, focus, ...props }: CodeMirrorProps) {
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

  // A user may write faster than React renders. What was rendered late must not replace what was written since.
  const written = useRef<string[]>([])
  const rendered = useRef(value)

  // Before the browser handles the next key: the plain field that had the focus is gone.
  useLayoutEffect(() => {
    if (!host.current) return
    written.current = []
    rendered.current = latest.current.value
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
          if (!update.docChanged) return
          const text = update.state.doc.toString()
          written.current.push(text)
          latest.current.onChange?.(text)
        }),
      ],
    })
    own.dispatch(showProblems(own.state, latest.current.problems))
    if (line !== undefined) {
      own.dispatch({ effects: EditorView.scrollIntoView(startOfLine(own.state, line), { y: 'center' }) })
      host.current.scrollIntoView({ block: 'center' })
    }
    view.current = own
    takeFocus(own, focus.current, latest.current.problems)
    focus.current = null
    return () => {
      own.destroy()
      view.current = null
    }
  }, [language, label, line, readOnly, placeholder, describedBy, focus])

  useEffect(() => {
    const own = view.current
    if (own === null || value === rendered.current) return
    rendered.current = value
    const place = written.current.lastIndexOf(value)
    written.current.splice(0, place + 1)
    const text = own.state.doc.toString()
    if (place !== -1 || text === value) return
    own.dispatch({ changes: minimalEdit(text, value) })
    written.current = []
  }, [value])
  useEffect(() => {
    view.current?.dispatch(showProblems(view.current.state, problems))
  }, [problems])
  useImperativeHandle(props.ref, () => ({
    focusError: () => view.current !== null && focusFirstError(view.current, problems),
  }))
  return <div ref={host} className="h-full" />
}

function takeFocus(view: EditorView, focus: EditorFocus | null, problems: readonly Problem[]): void {
  if (focus === null) return
  if (focus === 'error') {
    focusFirstError(view, problems)
    return
  }
  if ('line' in focus) {
    focusAt(view, startOfText(view.state, focus.line))
    return
  }
  const { length } = view.state.doc
  view.dispatch({
    selection: { anchor: Math.min(focus.start, length), head: Math.min(focus.end, length) },
    scrollIntoView: true,
  })
  view.focus()
}

/** Scrolls to the first error and focuses the editor there. Returns whether there is an error. */
function focusFirstError(view: EditorView, problems: readonly Problem[]): boolean {
  const [first] = problems.filter((problem) => !isWarning(problem)).toSorted((a, b) => a.line - b.line)
  if (!first) return false
  focusAt(view, toDiagnostic(view.state.doc, first).from)
  return true
}

/** Scrolls to a place and puts the cursor there. */
function focusAt(view: EditorView, place: number): void {
  view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: 'center' }) })
  view.dom.scrollIntoView({ block: 'center' })
  view.focus()
}

/** The first character of a line that is no space. */
function startOfText(state: EditorState, line: number): number {
  const { from, text } = state.doc.lineAt(startOfLine(state, line))
  return from + text.length - text.trimStart().length
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
