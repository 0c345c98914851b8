import { ChevronDown } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { cn } from './class-names'
import { Field, type FieldProps } from './field'
import { type FieldBinding, useFieldControl } from './field-context'
import { inputStyles } from './input-styles'
import { onDemand, useOnDemand } from './on-demand'
import type * as List from './select-list'

type SelectOption<Value extends string> = List.SelectOption<Value>

/** The list of options. */
export const selectList = onDemand(() => import('./select-list'))

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
  const [opened, setOpened] = useState(false)
  const list = useOnDemand(selectList, opened)
  const pressed = useRef(false)
  const button = {
    ...control,
    'aria-label': ariaLabel,
    className: cn(
      inputStyles,
      'inline-flex h-8 items-center justify-between gap-2 px-2.5 text-left text-sm',
      '[&>span]:min-w-0 [&>span]:truncate',
      className,
    ),
  }
  const icon = <ChevronDown aria-hidden className="size-4 shrink-0 text-subtle" />
  if (list) {
    return <list.SelectList {...root} options={options} onValueChange={choose} button={button} icon={icon} />
  }
  return (
    <button
      type="button"
      role="combobox"
      aria-expanded={opened}
      aria-autocomplete="none"
      disabled={root.disabled}
      {...button}
      onPointerDown={() => {
        pressed.current = true
        void selectList.load()
      }}
      onClick={() => {
        // A click on the label only moves the focus.
        if (pressed.current) setOpened(true)
        pressed.current = false
      }}
      onKeyDown={(event: KeyboardEvent) => {
        // A letter opens it too: the list then selects by further letters.
        if (event.ctrlKey || event.altKey || event.metaKey) return
        if (event.key.length > 1 && !['Enter', 'ArrowDown', 'ArrowUp'].includes(event.key)) return
        event.preventDefault()
        setOpened(true)
      }}
    >
      <span>{options.find((option) => option.value === root.value)?.label}</span>
      {icon}
    </button>
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
