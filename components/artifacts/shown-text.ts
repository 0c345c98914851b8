import { visibleText } from '@/lib/contract/text/sanitize-text'

/** A text of several lines that is safe to show: newlines and tabs stay, and other invisible characters are shown by code. */
export function shownText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, (part) => visibleText(part, part.length * 10))
}
