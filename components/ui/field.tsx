'use client'

import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId, useMemo } from 'react'
import { cn } from './class-names'
import { FieldContext } from './field-context'
import { Label } from './label'

interface FieldProps {
  label: ReactNode
  /** What to put in, shown under the control until there is an error to show in its place. */
  hint?: ReactNode
  /** What is wrong and what to change. Marks the control as invalid and is read out with it. */
  error?: ReactNode
  required?: boolean
  /** Says so beside the label: most fields are one or the other, mark the rarer kind. */
  optional?: boolean
  /** Beside the label, at the end of the line: a link, a counter. */
  aside?: ReactNode
  className?: string
  children: ReactNode
}

/** A labelled control with its hint or its error. The control inside wires itself to them. */
export function Field({
  label,
  hint,
  error,
  required = false,
  optional = false,
  aside,
  className,
  children,
}: FieldProps) {
  const id = useId()
  const note = error ?? hint
  const noteId = note ? `${id}-note` : undefined
  const field = useMemo(
    () => ({ controlId: `${id}-control`, describedBy: noteId, invalid: Boolean(error), required }),
    [id, noteId, error, required],
  )
  return (
    <FieldContext value={field}>
      <div className={cn('flex min-w-0 flex-col gap-1', className)}>
        <div className="flex items-baseline justify-between gap-2">
          <span className="flex items-baseline gap-1.5">
            <Label htmlFor={field.controlId}>{label}</Label>
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
