export type ShellWords = { ok: true; words: string[] } | { ok: false; message: string }

/**
 * Splits a line as a POSIX shell does: blanks separate, quotes join, a backslash takes the next character as it is
 * (within double quotes only before " \ $ ` and a line feed). Nothing is expanded: `$HOME` stays `$HOME`.
 */
export function splitShellWords(line: string): ShellWords {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  while (at < line.length) {
    const char = line.charAt(at)
    if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
      at++
    } else if (char === "'" || char === '"') {
      const quoted = readQuoted(line, at + 1, char)
      if (quoted === null) return { ok: false, message: `the quote ${char} is opened and never closed` }
      word = (word ?? '') + quoted.text
      at = quoted.end
    } else if (char === '\\') {
      if (at + 1 === line.length)
        return { ok: false, message: 'a backslash stands at the end with nothing after it' }
      const escaped = line.charAt(at + 1)
      // A backslash before a line feed continues the line.
      word = escaped === '\n' ? word : (word ?? '') + escaped
      at += 2
    } else {
      word = (word ?? '') + char
      at++
    }
  }
  if (word !== null) words.push(word)
  return { ok: true, words }
}

function readQuoted(line: string, start: number, quote: string): { text: string; end: number } | null {
  let text = ''
  for (let at = start; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === quote) return { text, end: at + 1 }
    const next = line.charAt(at + 1)
    if (quote === '"' && char === '\\' && next !== '' && '"\\$`\n'.includes(next)) {
      text += next === '\n' ? '' : next
      at++
    } else text += char
  }
  return null
}
