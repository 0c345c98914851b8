import { parseJson } from '@/lib/contract/parse-json'

const token = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * JSON with line breaks and indentation; null if the text is not JSON. Values keep their source text: `JSON.parse` would
 * round long numbers.
 */
export function formatJson(text: string): string | null {
  if (parseJson(text) === undefined) return null
  let depth = 0
  let formatted = ''
  let before = ''
  for (const [part] of text.matchAll(token)) {
    const closes = part === '}' || part === ']'
    const isOpen = before === '{' || before === '['
    if (closes) depth--
    // Empty objects and lists stay on one line.
    const breaks = closes ? !isOpen : isOpen || before === ','
    if (breaks) formatted += `\n${'  '.repeat(depth)}`
    formatted += part === ':' ? ': ' : part
    if (part === '{' || part === '[') depth++
    before = part
  }
  return formatted
}
