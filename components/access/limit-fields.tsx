'use client'

import { z } from 'zod'
import type { FormFields } from '../shell/use-schema-form'
import { TextField } from '../ui/text-field'

/** A limit as text. Empty means the default. */
const limitText = z
  .string()
  .trim()
  .regex(/^\d{0,7}$/, 'Use a whole number, or leave it empty for the default.')
  .transform((text) => (text === '' ? null : Number(text)))
  .pipe(z.number().max(1_000_000, 'Use at most 1,000,000.').nullable())

export const limitTexts = { submissions_per_minute: limitText, max_active_jobs: limitText }

interface Limits {
  submissions_per_minute: number | null
  max_active_jobs: number | null
}

interface LimitValues {
  submissions_per_minute: string
  max_active_jobs: string
}

/** The text of an optional number. */
export function toOptionalText(value: number | null): string {
  return value === null ? '' : String(value)
}

/** The initial values of {@link LimitFields}. */
export function toLimitTexts({ submissions_per_minute, max_active_jobs }: Limits): LimitValues {
  return {
    submissions_per_minute: toOptionalText(submissions_per_minute),
    max_active_jobs: toOptionalText(max_active_jobs),
  }
}

/** The limits of a user or a project. */
export function LimitFields({ form }: { form: FormFields<LimitValues> }) {
  const input = { inputMode: 'numeric', placeholder: 'default' } as const
  return (
    <>
      <TextField label="Submissions per minute" {...input} {...form.field('submissions_per_minute')} />
      <TextField label="Active jobs" {...input} {...form.field('max_active_jobs')} />
    </>
  )
}
