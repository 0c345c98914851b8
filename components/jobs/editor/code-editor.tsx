import {
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { cn } from '@/components/ui/class-names'
import { Kbd } from '@/components/ui/kbd'
import { onDemand, useOnDemand } from '@/components/ui/on-demand'
import type { CodeEditorHandle, CodeEditorProps, EditorFocus } from './editor-props'
import { isWarning, type Problem } from './problem'

const noProblems: readonly Problem[] = []
// A plain field is enough to go on if the code cannot be loaded, such as after an update of the server.
const codeMirror = onDemand(() => import('./code-mirror').catch(() => null))

/**
 * A code editor with highlighting, indentation and problems at their lines. It is a plain text field until the user uses it or
 * sees a text in it: CodeMirror is 126 kB of code.
 */
export function CodeEditor({ className, ref, startLine = null, ...props }: CodeEditorProps) {
  const { label, value, problems = noProblems, readOnly = false } = props
  const id = useId()
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditorHandle>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const focus = useRef<EditorFocus | null>(startLine === null ? null : { line: startLine })
  const [used, setUsed] = useState(false)
  const [composing, setComposing] = useState(false)
  const shown = useShown(host, value !== '')
  const loaded = useOnDemand(
    codeMirror,
    used || shown || startLine !== null || readOnly || problems.length > 0,
  )
  useImperativeHandle(ref, () => ({
    focusError: () => {
      if (editor.current !== null) return editor.current.focusError()
      if (problems.every(isWarning)) return false
      focus.current = 'error'
      field.current?.focus()
      return true
    },
  }))
  const describedBy = readOnly ? undefined : `${id}-keys ${id}-problems`
  return (
    <div className={cn('flex min-w-0 flex-col', className)}>
      <div
        ref={host}
        className={cn(
          'min-h-0 min-w-0 flex-1 overflow-hidden rounded-md border bg-surface',
          readOnly ? 'border-line' : 'border-edge',
          'has-[.cm-focused]:outline-2 has-[.cm-focused]:outline-focus',
          'has-[textarea:focus]:outline-2 has-[textarea:focus]:outline-focus',
        )}
      >
        {loaded === null || composing ? (
          <PlainField
            {...props}
            ref={field}
            describedBy={describedBy}
            focus={focus}
            onUse={() => setUsed(true)}
            onComposing={setComposing}
          />
        ) : (
          <loaded.CodeMirror {...props} ref={editor} describedBy={describedBy} focus={focus} />
        )}
      </div>
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

interface PlainFieldProps extends Omit<CodeEditorProps, 'className' | 'ref' | 'startLine'> {
  ref: RefObject<HTMLTextAreaElement | null>
  describedBy: string | undefined
  /** Gets the selection when the field goes and has the focus. */
  focus: RefObject<EditorFocus | null>
  onUse: () => void
  /** A character is composed from several keys: the field must stay until it is complete. */
  onComposing: (composing: boolean) => void
}

/** The text at the place where the editor will show it. */
function PlainField({ ref, describedBy, focus, onUse, onComposing, ...props }: PlainFieldProps) {
  const { label, value, onChange, placeholder, readOnly } = props
  useLayoutEffect(() => {
    const field = ref.current
    return () => {
      if (field === null || field !== document.activeElement) return
      focus.current ??= { start: field.selectionStart, end: field.selectionEnd }
    }
  }, [ref, focus])
  return (
    <textarea
      ref={ref}
      aria-label={label}
      aria-describedby={describedBy}
      value={value}
      onChange={(event) => onChange?.(event.target.value)}
      onPointerEnter={onUse}
      onFocus={onUse}
      onCompositionStart={() => onComposing(true)}
      onCompositionEnd={() => onComposing(false)}
      placeholder={placeholder}
      readOnly={readOnly}
      spellCheck={false}
      autoCapitalize="off"
      autoCorrect="off"
      className="block size-full resize-none bg-surface py-2 pr-3 pl-[calc(2.5ch+1.25rem+8px)] font-mono text-[0.8125rem] text-ink leading-5 outline-none placeholder:text-subtle"
    />
  )
}

/** Whether an element was visible once while it had a text. */
function useShown(host: RefObject<HTMLElement | null>, hasText: boolean): boolean {
  const [shown, setShown] = useState(false)
  const waits = hasText && !shown
  useEffect(() => {
    const element = host.current
    if (!waits || element === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setShown(true)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [waits, host])
  return shown
}
