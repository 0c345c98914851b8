'use client'

import { useId } from 'react'
import { cn } from '@/components/ui/class-names'
import { Kbd } from '@/components/ui/kbd'
import type { Problem } from './problems'
import { type CodeLanguage, useCodeMirror } from './use-code-mirror'

interface CodeEditorProps {
  value: string
  onChange?: (value: string) => void
  language: CodeLanguage
  /** The name of the text, such as "solution.py". */
  label: string
  /** Shown at their lines. */
  problems?: readonly Problem[]
  placeholder?: string
  readOnly?: boolean
  /** Must set the height: the text scrolls inside. */
  className?: string
}

const noProblems: readonly Problem[] = []

/** A code editor with highlighting, indentation and problems at their lines. */
export function CodeEditor(props: CodeEditorProps) {
  const { value, language, label, problems = noProblems, readOnly = false, className } = props
  const id = useId()
  const described = readOnly ? undefined : `${id}-keys ${id}-problems`
  const host = useCodeMirror({
    value,
    language,
    label,
    problems,
    readOnly,
    describedBy: described,
    placeholder: props.placeholder,
    onChange: props.onChange,
  })
  return (
    <div className={cn('flex h-80 min-w-0 flex-col', className)}>
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
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
