import type { ComponentProps } from 'react'
import { cn } from './class-names'

/** The name of a control. {@link Field} places and wires one by itself. */
export function Label({ className, htmlFor, children, ...rest }: ComponentProps<'label'>) {
  return (
    <label htmlFor={htmlFor} className={cn('font-medium text-ink text-sm', className)} {...rest}>
      {children}
    </label>
  )
}
