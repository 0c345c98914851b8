import type { ComponentProps } from 'react'
import { Field, type FieldProps } from './field'
import type { FieldBinding } from './field-context'
import { Input } from './input'

type TextFieldProps = Omit<FieldProps, 'children' | 'error' | 'id'> &
  FieldBinding<string> &
  Omit<ComponentProps<typeof Input>, 'className' | 'id' | 'name' | 'onChange' | 'value'>

/** A labelled line of text. */
export function TextField(props: TextFieldProps) {
  const { label, hint, error, required, optional, aside, className, id, onChange, ...input } = props
  const field = { label, hint, error, required, optional, aside, className, id }
  return (
    <Field {...field}>
      <Input {...input} onChange={(event) => onChange(event.target.value)} />
    </Field>
  )
}

/** A line for an id or a name that programs use: no capital letters and no spelling marks are added. */
export function IdField(props: TextFieldProps) {
  return <TextField mono autoCapitalize="none" spellCheck={false} {...props} />
}

/** A line for a number. */
export function NumberField(props: TextFieldProps) {
  return <TextField inputMode="decimal" autoComplete="off" {...props} />
}
