import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from './class-names'
import { Field, type FieldProps } from './field'
import { type FieldBinding, useFieldControl } from './field-context'
import { inputStyles } from './input-styles'

interface SelectOption<Value extends string> {
  value: Value
  label: ReactNode
  description?: ReactNode
}

interface SelectProps<Value extends string> {
  options: readonly SelectOption<Value>[]
  value: Value
  onValueChange: (value: Value) => void
  id?: string | undefined
  disabled?: boolean
  /** Needed without a field around it. */
  'aria-label'?: string
  className?: string
}

/** Selects one of a few options. Radix does not allow the empty string as a value. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, onValueChange, id, className, 'aria-label': ariaLabel, ...root } = props
  const control = useFieldControl({ id })
  // Radix uses plain strings. The value always belongs to one of the options.
  const choose = (value: string) => {
    const option = options.find((candidate) => candidate.value === value)
    if (option) onValueChange(option.value)
  }
  return (
    <Radix.Root {...root} onValueChange={choose}>
      <Radix.Trigger
        {...control}
        aria-label={ariaLabel}
        className={cn(
          inputStyles,
          'inline-flex h-8 items-center justify-between gap-2 px-2.5 text-left text-sm',
          '[&>span]:min-w-0 [&>span]:truncate',
          className,
        )}
      >
        <Radix.Value />
        <Radix.Icon asChild>
          <ChevronDown aria-hidden className="size-4 shrink-0 text-subtle" />
        </Radix.Icon>
      </Radix.Trigger>
      <OptionList options={options} />
    </Radix.Root>
  )
}

type SelectFieldProps<Value extends string> = Pick<FieldProps, 'hint' | 'label'> &
  FieldBinding<Value> &
  Pick<SelectProps<Value>, 'options'>

/** A labelled choice of one option. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, hint, error, id, value, options, onChange } = props
  return (
    <Field label={label} hint={hint} error={error} id={id}>
      <Select options={options} value={value} onValueChange={onChange} />
    </Field>
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
