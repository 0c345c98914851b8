import type { z } from 'zod'
import type { User } from '@/lib/contract/access'
import { optionalNumberText, toOptionalText } from '../shell/form-values'
import type { FormFields } from '../shell/use-schema-form'
import { TextField } from '../ui/text-field'

const limit = optionalNumberText({ min: 0, max: 1_000_000, whole: true })

/** The limits of a user or a project, as text. Empty text means the default. */
export const limitShape = { submissions_per_minute: limit, max_active_jobs: limit }

/** The storage quota of a user or a project in GiB, as text. */
export const storageQuotaText = optionalNumberText({ min: 0, max: 1_000_000 })

type LimitTexts = z.input<z.ZodObject<typeof limitShape>>

/** The initial values of {@link LimitFields}. */
export function toLimitTexts(limits: User['limits']): LimitTexts {
  return {
    submissions_per_minute: toOptionalText(limits.submissions_per_minute),
    max_active_jobs: toOptionalText(limits.max_active_jobs),
  }
}

/** The limits of a user or a project. */
export function LimitFields({ form }: { form: FormFields<LimitTexts> }) {
  const input = { inputMode: 'numeric', placeholder: 'default' } as const
  return (
    <>
      <TextField label="Submissions per minute" {...input} {...form.field('submissions_per_minute')} />
      <TextField label="Active jobs" {...input} {...form.field('max_active_jobs')} />
    </>
  )
}
