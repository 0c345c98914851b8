import type { Checked } from '../shell/use-form'

/** Checks a form with one line of text. */
export const requireText =
  <Name extends string>(name: Name, message: string) =>
  (values: Record<Name, string>): Checked<string> => {
    const parsed = values[name].trim()
    return parsed === '' ? { ok: false, errors: { [name]: message } } : { ok: true, parsed, errors: {} }
  }
