'use client'

import { Check, Minus } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from './class-names'

interface CheckboxProps extends Omit<ComponentProps<typeof Radix.Root>, 'children'> {
  label: ReactNode
  description?: ReactNode
}

/** A checkbox with its label. Both are one click target. */
export function Checkbox({ label, description, className, ...rest }: CheckboxProps) {
  const id = useId()
  const descriptionId = description ? `${id}-description` : undefined
  return (
    <div className={cn('flex min-h-6 items-start gap-1', className)}>
      <span className="-ml-1 grid size-6 shrink-0 place-items-center">
        <Radix.Root
          id={id}
          aria-describedby={descriptionId}
          className={cn(
            // The pseudo-element makes the target 24 px without making the box look that large.
            'relative grid size-4 place-items-center rounded-sm border border-edge bg-surface text-on-accent',
            'before:absolute before:-inset-1 before:content-[""] hover:border-muted disabled:opacity-50',
            'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
            'data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent',
          )}
          {...rest}
        >
          <Radix.Indicator className="group">
            <Check aria-hidden className="size-3 stroke-3 group-data-[state=indeterminate]:hidden" />
            <Minus aria-hidden className="hidden size-3 stroke-3 group-data-[state=indeterminate]:block" />
          </Radix.Indicator>
        </Radix.Root>
      </span>
      <span className="flex flex-col pt-0.5">
        <label htmlFor={id} className="text-ink text-sm">
          {label}
        </label>
        {description ? (
          <span id={descriptionId} className="text-subtle text-xs">
            {description}
          </span>
        ) : null}
      </span>
    </div>
  )
}
