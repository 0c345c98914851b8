'use client'

import { z } from 'zod'
import { Field } from '../ui/field'
import { Input } from '../ui/input'

/** A limit as one types it: empty means that the default applies. */
export const limitText = z
  .string()
  .trim()
  .regex(/^\d{0,7}$/, 'Use a whole number, or leave it empty for the default.')
  .transform((text) => (text === '' ? null : Number(text)))
  .pipe(z.number().max(1_000_000, 'Use at most 1,000,000.').nullable())

/** The text that stands for a limit. */
export function toLimitText(limit: number | null): string {
  return limit === null ? '' : String(limit)
}

interface LimitFieldProps {
  label: string
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

/** Takes a limit. */
export function LimitField({ label, value, error, onChange }: LimitFieldProps) {
  return (
    <Field label={label} error={error}>
      <Input
        inputMode="numeric"
        placeholder="default"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}
