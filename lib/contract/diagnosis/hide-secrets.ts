import type { Failure } from './find-failure'

/** A shorter value says little, and may be part of any word. */
const shortestSecret = 8
const hidden = '…'

const userInfo = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/'"<>]{1,500}@/gi
const secretParameter =
  /([?&;][\w.%-]{0,40}(?:token|key|secret|password|signature|sig)[\w.%-]{0,40}=)[^\s&;'"<>#]{1,2000}/gi

/**
 * Replaces in what the program printed the values of its variables, user info in URLs, and parameters of URLs that name a secret.
 * @param values of the variables of the job
 */
export function hideSecrets(failure: Failure, values: readonly string[]): Failure {
  const secrets = values
    // A line of a value is printed alone.
    .flatMap((value) => [value, ...value.split(/[\r\n]+/)])
    .filter(({ length }) => length >= shortestSecret)
    // The longest first: it may contain another one.
    .sort((a, b) => b.length - a.length)
  const hide = (text: string) =>
    secrets.reduce(hideValue, text).replace(userInfo, `$1${hidden}@`).replace(secretParameter, `$1${hidden}`)
  const hideIfAny = (text: string | null) => (text === null ? null : hide(text))
  const { error, subject, location, evidence } = failure
  return {
    ...failure,
    error: hideIfAny(error),
    subject: hideIfAny(subject),
    location: location && {
      ...location,
      file: hide(location.file),
      function: hideIfAny(location.function),
      code: hideIfAny(location.code),
    },
    evidence: evidence.map(hide),
  }
}

/** Also the beginning of a value, where a text was cut off. */
function hideValue(text: string, value: string): string {
  const shown = text.replaceAll(value, hidden)
  const at = shown.lastIndexOf(value.slice(0, shortestSecret))
  return at !== -1 && value.startsWith(shown.slice(at)) ? shown.slice(0, at) + hidden : shown
}
