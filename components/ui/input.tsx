import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from './class-names'
import { useFieldControl } from './field-context'
import { inputStyles } from './input-styles'
import { usePrehydrationValue } from './use-prehydration-value'

interface InputProps extends ComponentProps<'input'> {
  /** At the start of the input: a magnifying glass. */
  icon?: LucideIcon
  /** For ids, numbers and code. */
  mono?: boolean
}

/** One line of text. */
export function Input({ icon: Icon, mono = false, className, ref, ...rest }: InputProps) {
  const control = useFieldControl(rest)
  const inputRef = usePrehydrationValue(rest.value, ref)
  const input = (
    <input
      ref={inputRef}
      {...rest}
      {...control}
      className={cn(
        inputStyles,
        'px-2.5 base:h-8 base:text-sm',
        Icon && 'pl-8',
        mono && 'font-mono',
        className,
      )}
    />
  )
  if (!Icon) return input
  return (
    <span className="relative block w-full">
      <Icon
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-subtle"
      />
      {input}
    </span>
  )
}
