import { type FormEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react'
import { ProblemError } from '@/lib/http/client/problem'
import type { FieldBinding } from '../ui/field-context'

export type FieldErrors = Record<string, string>

/** The fields of a form, for a component that shows some of them. */
export interface FormFields<Values> {
  /** The props of one field's control, to be spread. */
  field: <Name extends keyof Values & string>(name: Name) => FieldBinding<Values[Name]>
}

export interface Form<Values> extends FormFields<Values> {
  values: Values
  /** The props of the `<form>`, to be spread. */
  props: {
    /** A form that is submitted before React takes over must not put its fields into the address. */
    method: 'post'
    noValidate: true
    onSubmit: (event: FormEvent<HTMLFormElement>) => void
  }
  /** An error that belongs to no single field. */
  error: string | null
  submitting: boolean
  reset: () => void
}

/** A form. Errors appear after the first submit; from then on, each disappears as soon as it is fixed. */
export function useForm<Values extends Record<string, unknown>, Parsed>(options: {
  /** Loads what `check` needs, before the first check. */
  prepare?: (() => Promise<unknown>) | undefined
  check: (values: Values) => Checked<Parsed>
  initial: Values
  onSubmit: (parsed: Parsed) => Promise<unknown>
}): Form<Values> {
  const { check, initial } = options
  const id = useId()
  const [values, setValues] = useState(initial)
  const latest = useRef(initial)
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({})
  const [error, setError] = useState<string | null>(null)
  const [submitting, setSubmitting] = useState(false)
  const submitted = useRef(false)
  const focusInvalidIn = useInvalidFocus(fieldErrors)

  const update = (next: Values) => {
    latest.current = next
    setValues(next)
  }
  const change = (name: keyof Values, value: unknown) => {
    // Two changes may come before the next render: the second must not undo the first.
    const next = { ...latest.current, [name]: value }
    update(next)
    setError(null)
    if (submitted.current) setFieldErrors(check(next).errors)
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // In React's tree, the form of a dialog may be inside another form.
    event.stopPropagation()
    if (submitting) return
    focusInvalidIn.current = event.currentTarget
    if (!options.prepare || submitted.current) return submit()
    setSubmitting(true)
    options
      .prepare()
      .then(submit)
      .catch((thrown: unknown) => {
        setSubmitting(false)
        setError(describeError(thrown))
      })
  }
  const submit = () => {
    submitted.current = true
    const given = latest.current
    const checked = check(given)
    setFieldErrors(checked.errors)
    setSubmitting(checked.ok)
    if (!checked.ok) return
    setError(null)
    options
      .onSubmit(checked.parsed)
      .catch((thrown: unknown) => {
        const serverErrors = toFieldErrors(thrown, given)
        setFieldErrors(serverErrors)
        if (Object.keys(serverErrors).length === 0) setError(describeError(thrown))
      })
      .finally(() => setSubmitting(false))
  }
  const reset = () => {
    submitted.current = false
    update(initial)
    setFieldErrors({})
    setError(null)
  }
  return {
    values,
    field: (name) => ({
      id: `${id}-${name}`,
      name,
      value: values[name],
      error: fieldErrors[name],
      onChange: (value) => change(name, value),
    }),
    props: { method: 'post', noValidate: true, onSubmit },
    error,
    submitting,
    reset,
  }
}

/** Focuses the first invalid control of the form that was just submitted: after it is marked, and before the browser paints. */
function useInvalidFocus(errors: FieldErrors): RefObject<HTMLFormElement | null> {
  const submittedForm = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    if (Object.keys(errors).length === 0) return
    submittedForm.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    submittedForm.current = null
  }, [errors])
  return submittedForm
}

/** The values of a form, checked. Each invalid field has one sentence that says what to change. */
export type Checked<Parsed> =
  | { ok: true; parsed: Parsed; errors: FieldErrors }
  | { ok: false; errors: FieldErrors }

function toFieldErrors(error: unknown, values: Record<string, unknown>): FieldErrors {
  if (!(error instanceof ProblemError)) return {}
  const known = error.errors.filter(({ path }) => path in values)
  return known.length === error.errors.length
    ? Object.fromEntries(known.map(({ path, message }) => [path, asSentence(message)]))
    : {}
}

/** Errors of fields that this form does not show, without the API's field names. */
function describeError(error: unknown): string {
  if (error instanceof ProblemError && error.errors.length > 0) {
    return error.errors.map(({ message }) => asSentence(message)).join(' ')
  }
  return error instanceof Error ? error.message : 'The request failed. Try again.'
}

/** The API writes a message to follow a field's name; here it stands alone. */
export function asSentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}

/** The text of an optional number. */
export function toOptionalText(value: number | null): string {
  return value === null ? '' : String(value)
}

/** The texts of optional numbers, by name. */
export function toOptionalTexts<Name extends string>(values: Record<Name, number | null>) {
  const entries = Object.entries<number | null>(values).map(([name, value]) => [name, toOptionalText(value)])
  return Object.fromEntries(entries) as Record<Name, string>
}
