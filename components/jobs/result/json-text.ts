import { PrintedNumber } from '@/lib/contract/output/printed-json'
import { nameControl, specialCharacter } from '../output/ansi/visible-controls'

const special = new RegExp(specialCharacter.source, 'gu')

/** The text with invisible characters shown by name. */
export function showText(text: string): string {
  if (!specialCharacter.test(text)) return text
  return text.replace(special, (character, at: number) => {
    const isBreak = character === '\n' || character === '\r'
    return isBreak ? character : (nameControl(character, text.slice(Math.max(0, at - 2), at)) ?? character)
  })
}

/** The string as JSON with escaped invisible characters. */
export function quote(text: string): string {
  const quoted = JSON.stringify(text)
  if (!specialCharacter.test(quoted)) return quoted
  return quoted.replace(special, (character, at: number) => {
    if (nameControl(character, quoted.slice(Math.max(0, at - 2), at)) === null) return character
    return [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
      .join('')
  })
}

/** The beginning of a text with an ellipsis. Does not split a surrogate pair. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const code = text.charCodeAt(limit - 1)
  const splitsPair = code >= 0xd800 && code <= 0xdbff
  return `${text.slice(0, splitsPair ? limit - 1 : limit)}…`
}

/** A value in one line, shortened: `{ loss: 0.5, layers: […] }`. */
export function preview(value: unknown, limit = 120): string {
  return shorten(summarize(value, 2, limit), limit)
}

function summarize(value: unknown, depth: number, limit: number): string {
  if (typeof value === 'string') return quote(shorten(value, limit))
  if (typeof value !== 'object' || value === null || value instanceof PrintedNumber) return String(value)
  const isList = Array.isArray(value)
  if (depth === 0) return isList ? '[…]' : '{…}'
  const parts: string[] = []
  let length = 0
  for (const [key, inner] of Object.entries(value)) {
    const text = summarize(inner, depth - 1, limit)
    parts.push(isList ? text : `${showKey(key)}: ${text}`)
    length += text.length
    if (length > limit) break
  }
  if (parts.length === 0) return isList ? '[]' : '{}'
  return isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
}

/** A key, with quotes only if it is not a word or an index. */
export function showKey(key: string): string {
  return /^(?:\d+|[\p{L}_$][\p{L}\p{N}_$.-]*)$/u.test(key) && key.length <= 80 ? key : quote(shorten(key, 80))
}
