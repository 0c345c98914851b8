/** Controls, separators, marks of direction, what shows as nothing, and halves of characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/**
 * Text that a job chose, as it may be shown on a page, in a terminal or in a sentence: what cannot be seen or changes how the
 * rest is read stands there by its code, and it ends after `length` characters.
 */
export function visibleText(text: string, length: number): string {
  const shown = text.replace(unseen, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`)
  return shown.length <= length ? shown : `${shown.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
