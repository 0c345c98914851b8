'use client'

import type { ReactNode } from 'react'
import { Checkbox } from './checkbox'
import type { FieldBinding } from './field-context'

interface CheckboxFieldProps extends FieldBinding<boolean> {
  label: ReactNode
  description?: ReactNode
}

/** A checkbox of a form. */
export function CheckboxField({ label, description, name, value, onChange }: CheckboxFieldProps) {
  return (
    <Checkbox
      label={label}
      description={description}
      name={name}
      checked={value}
      onCheckedChange={(checked) => onChange(checked === true)}
    />
  )
}
