import type { LucideIcon } from 'lucide-react'
import { ToggleGroup as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
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
  // Radix reports '' if the selected option is pressed again. One option is always selected.
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onValueChange(option.value)
  }
  return (
    <Radix.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={choose}
      className={cn(
        'inline-flex h-7 pointer-coarse:min-h-8 items-stretch rounded-md border border-line-strong bg-sunken p-0.5',
        className,
      )}
    >
      {options.map(({ value: own, label: text, icon: Icon }) => (
        <Radix.Item
          key={own}
          value={own}
          className={cn(
            'inline-flex min-w-6 items-center gap-1 rounded-sm px-2 font-medium text-muted text-xs hover:text-ink',
            'data-[state=on]:bg-raised data-[state=on]:text-ink data-[state=on]:shadow-control',
            'dark:data-[state=on]:bg-pressed',
          )}
        >
          {Icon ? <Icon aria-hidden className="size-3.5" /> : null}
          {text}
        </Radix.Item>
      ))}
    </Radix.Root>
  )
}
