import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { cn } from './class-names'

interface SegmentedProps<Value extends string> {
  /** The accessible name. */
  label: string
  value: Value
  onValueChange: (value: Value) => void
  options: readonly { value: Value; label: ReactNode; icon?: LucideIcon }[]
  className?: string
}

/** A segmented control: one of a few visible options. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, value, onValueChange, options, className } = props
  const name = useId()
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cn(
        'inline-flex base:h-7 pointer-coarse:min-h-8 items-stretch rounded-md border border-line-strong bg-sunken p-0.5',
        className,
      )}
    >
      {options.map(({ value: own, label: text, icon: Icon }) => (
        <label
          key={own}
          className={cn(
            'relative inline-flex min-w-6 items-center gap-1 rounded-sm px-2 font-medium text-xs',
            own === value ? 'bg-raised text-ink shadow-control dark:bg-pressed' : 'text-muted hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            checked={own === value}
            onChange={() => onValueChange(own)}
            className="absolute inset-0 appearance-none rounded-sm"
          />
          {Icon ? <Icon aria-hidden className="size-3.5" /> : null}
          {text}
        </label>
      ))}
    </div>
  )
}
