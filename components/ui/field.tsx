import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId, useMemo } from 'react'
import { cn } from './class-names'
import { FieldContext } from './field-context'

export interface FieldProps {
  label: ReactNode
  /** Shown under the control until there is an error to show in its place. */
  hint?: ReactNode
  /** What is wrong and how to fix it. Marks the control as invalid; screen readers read both together. */
  error?: ReactNode
  required?: boolean | undefined
  /** Adds "optional" beside the label. */
  optional?: boolean | undefined
  /** A unit or a counter at the end of the label's line. */
  aside?: ReactNode
  /** The id of the control. */
  id?: string | undefined
  className?: string | undefined
  children: ReactNode
}

/** A labelled control with its hint or its error. */
export function Field(props: FieldProps) {
  const { label, hint, error, required = false, optional = false, aside, className, children } = props
  const ownId = useId()
  const id = props.id ?? ownId
  const note = error ?? hint
  const noteId = note ? `${id}-note` : undefined
  const field = useMemo(
    () => ({ controlId: id, describedBy: noteId, invalid: Boolean(error), required }),
    [id, noteId, error, required],
  )
  return (
    <FieldContext value={field}>
      <div className={cn('flex min-w-0 flex-col gap-1', className)}>
        <div className="flex items-baseline justify-between gap-2">
          <span className="flex items-baseline gap-1.5">
            <label htmlFor={id} className="font-medium text-ink text-sm">
              {label}
            </label>
            {optional ? <span className="text-subtle text-xs">optional</span> : null}
          </span>
          {aside ? <span className="text-subtle text-xs">{aside}</span> : null}
        </div>
        {children}
        <div aria-live="polite">
          {note ? <FieldNote id={noteId} error={Boolean(error)} note={note} /> : null}
        </div>
      </div>
    </FieldContext>
  )
}

function FieldNote({ id, error, note }: { id: string | undefined; error: boolean; note: ReactNode }) {
  return (
    <p id={id} className={cn('flex items-start gap-1 text-xs', error ? 'text-danger-ink' : 'text-subtle')}>
      {error ? <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" /> : null}
      <span className="min-w-0 break-words">{note}</span>
    </p>
  )
}
