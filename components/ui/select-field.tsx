'use client'

import type { ComponentProps } from 'react'
import { Field, type FieldProps } from './field'
import type { FieldBinding } from './field-context'
import { Select } from './select'

type SelectFieldProps<Value extends string> = Pick<FieldProps, 'hint' | 'label'> &
  FieldBinding<Value> &
  Pick<ComponentProps<typeof Select<Value>>, 'options'>

/** A labelled choice of one option. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, hint, error, id, value, options, onChange } = props
  return (
    <Field label={label} hint={hint} error={error} id={id}>
      <Select options={options} value={value} onValueChange={onChange} />
    </Field>
  )
}
