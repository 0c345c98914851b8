'use client'

import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { z } from 'zod'
import { ProblemError } from '@/lib/http/client/problem'

type FieldErrors = Record<string, string>

interface SchemaForm<Values> {
  values: Values
  set: (change: Partial<Values>) => void
  /** What is wrong with a field: by the schema, or as the server said. */
  errorOf: (name: keyof Values & string) => string | undefined
  /** What went wrong beyond single fields. */
  failure: string | null
  working: boolean
  submit: (event: FormEvent<HTMLFormElement>) => void
  reset: () => void
}

/**
 * A form that is checked by the schema the server checks with. Nothing is marked before the first try to send;
 * from then on a mistake disappears as soon as it is mended.
 */
export function useSchemaForm<Values extends Record<string, unknown>, Parsed>(options: {
  schema: z.ZodType<Parsed, Values>
  initial: Values
  send: (parsed: Parsed) => Promise<unknown>
}): SchemaForm<Values> {
  const { schema, initial, send } = options
  const [values, setValues] = useState(initial)
  const latest = useRef(initial)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [failure, setFailure] = useState<string | null>(null)
  const [working, setWorking] = useState(false)
  const tried = useRef(false)
  const focusMistakeIn = useMistakeFocus(errors)

  const put = (next: Values) => {
    latest.current = next
    setValues(next)
  }
  const set = (change: Partial<Values>) => {
    // Of two changes before anything is shown again, the second must not undo the first.
    const next = { ...latest.current, ...change }
    put(next)
    setFailure(null)
    if (tried.current) setErrors(check(schema, next).errors)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A dialog's form is inside another one by React's tree, though not by the document's.
    event.stopPropagation()
    if (working) return
    tried.current = true
    focusMistakeIn.current = event.currentTarget
    const checked = check(schema, values)
    setErrors(checked.errors)
    if (!checked.ok) return
    setWorking(true)
    setFailure(null)
    send(checked.parsed)
      .catch((error: unknown) => {
        const told = toFieldErrors(error, values)
        setErrors(told)
        if (Object.keys(told).length === 0) setFailure(describeFailure(error))
      })
      .finally(() => setWorking(false))
  }
  const reset = () => {
    tried.current = false
    put(initial)
    setErrors({})
    setFailure(null)
  }
  return { values, set, errorOf: (name) => errors[name], failure, working, submit, reset }
}

/** Moves the focus to the first mistake of the form that was just sent: in an effect, when the mistakes are marked. */
function useMistakeFocus(errors: FieldErrors): RefObject<HTMLFormElement | null> {
  const sent = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (Object.keys(errors).length === 0) return
    sent.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    sent.current = null
  }, [errors])
  return sent
}

type Checked<Parsed> = { ok: true; parsed: Parsed; errors: FieldErrors } | { ok: false; errors: FieldErrors }

/** Checks the values, and says for each wrong field what to change, in a person's words. */
export function check<Values, Parsed>(schema: z.ZodType<Parsed, Values>, values: Values): Checked<Parsed> {
  const parsed = schema.safeParse(values, { error: inWords })
  if (parsed.success) return { ok: true, parsed: parsed.data, errors: {} }
  const errors: FieldErrors = {}
  for (const { path, message } of parsed.error.issues) errors[String(path[0] ?? '')] ??= asSentence(message)
  return { ok: false, errors }
}

/** For the issues that the schema itself has no sentence for. */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return issue.minimum === 1 ? 'Fill this in.' : `Use at least ${issue.minimum} characters.`
  }
  if (issue.code === 'too_big' && issue.origin === 'string') return `Use at most ${issue.maximum} characters.`
  if (issue.code === 'too_small' && issue.origin === 'array') return 'Choose at least one.'
  if (issue.code === 'invalid_format' && issue.format === 'email') {
    return 'Write an e-mail address, such as ada@example.org.'
  }
  return undefined
}

function toFieldErrors(error: unknown, values: Record<string, unknown>): FieldErrors {
  if (!(error instanceof ProblemError)) return {}
  const known = error.errors.filter(({ path }) => path in values)
  return known.length === error.errors.length
    ? Object.fromEntries(known.map(({ path, message }) => [path, asSentence(message)]))
    : {}
}

/** Mistakes of fields that this form does not have are told without the names the API has for them. */
function describeFailure(error: unknown): string {
  if (error instanceof ProblemError && error.errors.length > 0) {
    return error.errors.map(({ message }) => asSentence(message)).join(' ')
  }
  return error instanceof Error ? error.message : 'It did not work. Try again.'
}

/** The API's messages go on after a field's name; here they stand alone. */
function asSentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}
