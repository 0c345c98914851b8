/** The value of a file, or why it has none. */
export type ParsedFile = { value: unknown; notices: string[] } | { problem: string }

/** Parses JSON. Python also writes NaN and Infinity, which are not JSON: they are read as numbers. */
export function parseJsonFile(text: string): ParsedFile {
  try {
    const { value, notices } = parseTolerantly(text.replace(/^\ufeff/, ''))
    return { value, notices: [...notices, ...describeDigits(text)] }
  } catch (error) {
    return { problem: describeError(error) }
  }
}

/** Parses a file with one JSON value per line. Blank lines are left out. */
export function parseJsonLines(text: string): ParsedFile {
  const values: unknown[] = []
  const notices = new Set<string>()
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    try {
      const parsed = parseTolerantly(line)
      values.push(parsed.value)
      for (const notice of parsed.notices) notices.add(notice)
    } catch (error) {
      return { problem: `Line ${(index + 1).toLocaleString('en')}: ${describeError(error)}` }
    }
  }
  return { value: values, notices: [...notices, ...describeDigits(text)] }
}

function parseTolerantly(text: string): { value: unknown; notices: string[] } {
  try {
    return { value: JSON.parse(text), notices: [] }
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error
    return {
      value: parseNonFinite(text),
      notices: ['The file has NaN or Infinity, which are not JSON. They are shown as numbers.'],
    }
  }
}

const token = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g

/** Replaces each token by one of the same length, so that the positions in errors stay correct. */
function parseNonFinite(text: string): unknown {
  const mark = unusedCharacter(text)
  const json = text.replace(token, (found) => {
    if (found === 'NaN') return `"${mark}"`
    if (found.endsWith('Infinity') && !found.startsWith('"')) {
      return (found.startsWith('-') ? '-1e999' : '1e999').padEnd(found.length)
    }
    return found
  })
  return withNaN(JSON.parse(json), mark)
}

/** A private character that the text does not have: it stands for NaN. */
function unusedCharacter(text: string): string {
  let code = 0xe000
  while (code < 0xf8ff && text.includes(String.fromCharCode(code))) code++
  return String.fromCharCode(code)
}

/** A stack instead of recursion: values may be nested very deeply. */
function withNaN(root: unknown, mark: string): unknown {
  const holder: Record<string, unknown> = { root }
  const waiting: unknown[] = [holder]
  for (let object = waiting.pop(); object !== undefined; object = waiting.pop()) {
    if (typeof object !== 'object' || object === null) continue
    for (const [key, value] of Object.entries(object)) {
      if (value === mark) Reflect.set(object, key, Number.NaN)
      else if (typeof value === 'object' && value !== null) waiting.push(value)
    }
  }
  return holder.root
}

/** Numbers of a page have about 16 digits. */
function describeDigits(text: string): string[] {
  return /(?:^|[[,:\s])-?\d{17,}(?=[\s,\]}]|$)/.test(text)
    ? ['Numbers with more than 16 digits are rounded here. The text of the file has all digits.']
    : []
}

/** The browser's message has the position. */
function describeError(error: unknown): string {
  if (error instanceof RangeError) return 'The values are nested too deeply for this browser.'
  const message = error instanceof Error ? error.message : String(error)
  return `This is not JSON. ${message.replace(/^JSON\.parse: /, '')}`
}
