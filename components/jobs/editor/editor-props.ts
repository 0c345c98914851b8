import type { Ref } from 'react'
import type { Problem } from './problem'

export type CodeLanguage = 'python' | 'yaml' | 'shell' | 'text'

/** The editor's methods for the rest of the page. */
export interface CodeEditorHandle {
  /** Scrolls to the first error and focuses the editor there. Returns whether there is an error. */
  focusError: () => boolean
}

export interface CodeEditorProps {
  ref?: Ref<CodeEditorHandle>
  value: string
  onChange?: (value: string) => void
  language: CodeLanguage
  /** The name of the text, such as "solution.py". */
  label: string
  /** Errors and warnings, shown at their lines. */
  problems?: readonly Problem[]
  placeholder?: string
  /** The line that gets the cursor when the editor appears, counted from 1; left out: none. */
  startLine?: number | null
  /** The line to show and mark, counted from 1. Only for a text that nobody edits. */
  line?: number | undefined
  readOnly?: boolean
  /** Must set the height: the text scrolls inside. */
  className: string
}

/** A selection or a line that gets the focus, or the first error. */
export type EditorFocus = { start: number; end: number } | { line: number } | 'error'
