import type { ComponentProps } from 'react'
import { cn } from './class-names'
import { useFieldControl } from './field-context'
import { inputStyles } from './input-styles'
import { usePrehydrationValue } from './use-prehydration-value'

/** Several lines of text. */
export function Textarea({ className, rows = 4, ref, ...rest }: ComponentProps<'textarea'>) {
  const control = useFieldControl(rest)
  const inputRef = usePrehydrationValue(rest.value, ref)
  return (
    <textarea
      ref={inputRef}
      {...rest}
      {...control}
      rows={rows}
      className={cn(inputStyles, 'block resize-y px-2.5 py-1.5 base:text-sm', className)}
    />
  )
}
