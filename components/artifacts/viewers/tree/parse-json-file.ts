import { readPrintedJson } from '@/lib/contract/output/printed-json'

/** The value of a file, or why it has none. */
export type ParsedFile = { value: unknown; notices: string[] } | { problem: string }

/** Parses JSON. Python also writes NaN and Infinity, which are not JSON: they are read as numbers. */
export function parseJsonFile(text: string): ParsedFile {
  try {
    const { value, ...facts } = readPrintedJson(text.replace(/^\ufeff/, ''))
    return { value, notices: noticesOf(facts) }
  } catch (error) {
    return { problem: describeError(error) }
  }
}

/** Parses a file with one JSON value per line. Blank lines are left out. */
export function parseJsonLines(text: string): ParsedFile {
  const values: unknown[] = []
  const facts = { repeatsKeys: false, hasNotFinite: false }
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    try {
      const { value, repeatsKeys, hasNotFinite } = readPrintedJson(line)
      values.push(value)
      facts.repeatsKeys ||= repeatsKeys
      facts.hasNotFinite ||= hasNotFinite
    } catch (error) {
      return { problem: `Line ${(index + 1).toLocaleString('en')}: ${describeError(error)}` }
    }
  }
  return { value: values, notices: noticesOf(facts) }
}

function noticesOf({ repeatsKeys, hasNotFinite }: { repeatsKeys: boolean; hasNotFinite: boolean }): string[] {
  return [
    ...(hasNotFinite ? ['The file has NaN or Infinity, which are not JSON. They are shown as numbers.'] : []),
    ...(repeatsKeys
      ? ['An object has a key more than once. Its last value is shown here; the text of the file has all.']
      : []),
  ]
}

function describeError(error: unknown): string {
  return `This is not JSON. ${error instanceof Error ? error.message : String(error)}`
}
