import { useRef } from 'react'
import type { z } from 'zod'
import { loadPart } from '../ui/missing-part'
import { asSentence, type Checked, type FieldErrors, type Form, useForm } from './use-form'

export type { FormFields } from './use-form'

/**
 * A form validated by a zod schema. Code that a page loads at first gives a function, and the schema is loaded at the first submit:
 * zod is larger than most forms.
 */
export function useSchemaForm<Values extends Record<string, unknown>, Parsed>(options: {
  schema: z.ZodType<Parsed, Values> | (() => Promise<z.ZodType<Parsed, Values>>)
  initial: Values
  onSubmit: (parsed: Parsed) => Promise<unknown>
}): Form<Values> {
  const { schema, initial, onSubmit } = options
  const loaded = useRef<z.ZodType<Parsed, Values>>(undefined)
  const prepare = async () => {
    loaded.current = typeof schema === 'function' ? await loadPart(schema) : schema
  }
  return useForm({
    prepare: typeof schema === 'function' ? prepare : undefined,
    check: (values) => {
      const known = typeof schema === 'function' ? loaded.current : schema
      // Only a submit or a later change checks, and the first submit loads the schema.
      if (!known) throw new Error('The schema of the form is not loaded.')
      return check(known, values)
    },
    initial,
    onSubmit,
  })
}

/** Validates the values. Each invalid field gets one sentence that says what to change. */
export function check<Values, Parsed>(schema: z.ZodType<Parsed, Values>, values: Values): Checked<Parsed> {
  const parsed = schema.safeParse(values, { error: describeIssue })
  if (parsed.success) return { ok: true, parsed: parsed.data, errors: {} }
  const errors: FieldErrors = {}
  for (const { path, message } of parsed.error.issues) errors[String(path[0] ?? '')] ??= asSentence(message)
  return { ok: false, errors }
}

/** For the issues that the schema has no message for. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return issue.minimum === 1 ? 'Fill in this field.' : `Use at least ${issue.minimum} characters.`
  }
  if (issue.code === 'too_big' && issue.origin === 'string') return `Use at most ${issue.maximum} characters.`
  if (issue.code === 'too_small' && issue.origin === 'array') return 'Select at least one.'
  if (issue.code === 'invalid_format' && issue.format === 'email') {
    return 'Enter an e-mail address, such as ada@example.org.'
  }
  return undefined
}
