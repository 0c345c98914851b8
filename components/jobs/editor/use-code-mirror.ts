'use client'

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { python } from '@codemirror/lang-python'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
} from '@codemirror/view'
import { type RefObject, useEffect, useRef } from 'react'
import { editorTheme } from './editor-theme'
import { minimalEdit } from './minimal-edit'
import { type Problem, problemNotes, showProblems } from './problems'

export type CodeLanguage = 'python' | 'yaml' | 'shell'

interface CodeMirrorOptions {
  value: string
  language: CodeLanguage
  label: string
  problems: readonly Problem[]
  readOnly: boolean
  placeholder: string | undefined
  describedBy: string | undefined
  onChange: ((value: string) => void) | undefined
}

/** A CodeMirror editor in an element, in sync with React's text and problems. */
export function useCodeMirror(options: CodeMirrorOptions): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  // CodeMirror's line ends. Otherwise, a file from Windows would always differ from the editor's text.
  const value = options.value.replace(/\r\n?/g, '\n')
  const { problems, language, label, readOnly, placeholder, describedBy } = options
  // The editor lives longer than a render and must use the options of the last render.
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })

  useEffect(() => {
    if (!host.current) return
    const report = EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange?.(update.state.doc.toString())
    })
    const own = new EditorView({
      parent: host.current,
      doc: latest.current.value,
      extensions: [setUp({ language, label, readOnly, placeholder, describedBy }), report],
    })
    own.dispatch(showProblems(own.state, latest.current.problems))
    view.current = own
    // The editor may have measured its lines before the page's font was loaded.
    void document.fonts.ready.then(() => own.requestMeasure())
    return () => {
      own.destroy()
      view.current = null
    }
  }, [language, label, readOnly, placeholder, describedBy])

  useEffect(() => {
    const own = view.current
    const text = own?.state.doc.toString()
    if (own && text !== undefined && text !== value) own.dispatch({ changes: minimalEdit(text, value) })
  }, [value])
  useEffect(() => {
    view.current?.dispatch(showProblems(view.current.state, problems))
  }, [problems])
  return host
}

const languageOf: Record<CodeLanguage, () => Extension> = {
  python: () => [python(), indentUnit.of('    ')],
  yaml: () => [yaml(), indentUnit.of('  ')],
  shell: () => [],
}

type SetUp = Pick<CodeMirrorOptions, 'language' | 'label' | 'readOnly' | 'placeholder' | 'describedBy'>

function setUp({ language, label, readOnly, placeholder, describedBy }: SetUp): Extension {
  // The content is focusable anyway, but some accessibility checkers do not know that.
  const attributes = {
    tabindex: '0',
    'aria-label': label,
    ...(describedBy ? { 'aria-describedby': describedBy } : {}),
  }
  return [
    languageOf[language](),
    editorTheme(),
    lineNumbers(),
    highlightSpecialChars(),
    bracketMatching(),
    drawSelection(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of(attributes),
    readOnly
      ? [EditorState.readOnly.of(true)]
      : [
          history(),
          lintGutter(),
          problemNotes(),
          indentOnInput(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          placeholder ? placeholderText(placeholder) : [],
          keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        ],
  ]
}
