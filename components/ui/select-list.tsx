import { Check } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from './class-names'

export interface SelectOption<Value extends string> {
  value: Value
  label: ReactNode
  description?: ReactNode
}

interface SelectListProps {
  options: readonly SelectOption<string>[]
  value: string
  onValueChange: (value: string) => void
  disabled?: boolean | undefined
  /** The props of the button, whose content is the same as before the list was loaded. */
  button: Record<string, unknown>
  /** The icon of the button. */
  icon: ReactNode
}

/** A select that is open at first. */
export function SelectList({ options, button, icon, ...root }: SelectListProps) {
  return (
    <Radix.Root {...root} defaultOpen>
      <Radix.Trigger {...button}>
        <Radix.Value />
        <Radix.Icon asChild>{icon}</Radix.Icon>
      </Radix.Trigger>
      <OptionList options={options} />
    </Radix.Root>
  )
}

function OptionList({ options }: { options: readonly SelectOption<string>[] }) {
  return (
    <Radix.Portal>
      <Radix.Content
        position="popper"
        sideOffset={4}
        collisionPadding={8}
        className={cn(
          'z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width)',
          'animate-pop-in overflow-hidden rounded-lg border bg-raised p-1 shadow-float',
        )}
      >
        <Radix.Viewport>
          {options.map((option) => (
            <Option key={option.value} {...option} />
          ))}
        </Radix.Viewport>
      </Radix.Content>
    </Radix.Portal>
  )
}

function Option({ value, label, description }: SelectOption<string>) {
  return (
    <Radix.Item
      value={value}
      className={cn(
        'relative flex min-h-7 cursor-default select-none flex-col justify-center rounded-md py-1 pr-3 pl-7 text-sm',
        'outline-none data-highlighted:bg-hover',
      )}
    >
      <Radix.ItemIndicator className="absolute top-1.5 left-2">
        <Check aria-hidden className="size-4 text-accent-ink" />
      </Radix.ItemIndicator>
      <Radix.ItemText>{label}</Radix.ItemText>
      {description ? <span className="text-subtle text-xs">{description}</span> : null}
    </Radix.Item>
  )
}
