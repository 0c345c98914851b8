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

/**
 * A name for each path that a job chose, for somebody's disk: relative, in no directory above, without what cannot be seen or
 * what other systems take for a separator, and no two alike.
 */
export function safePaths(paths: readonly string[]): string[] {
  const taken = new Set<string>()
  return paths.map((path) => {
    const safe = path.split('/').map(safeSegment).join('/')
    let name = safe
    for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${safe}-${count}`
    taken.add(name.toLowerCase())
    return name
  })
}

const mostNameUnits = 80

function safeSegment(segment: string): string {
  const shown = segment.replace(unseen, '_').replace(/[\\:*?"<>|]/g, '_')
  const short =
    shown.length <= mostNameUnits ? shown : shown.slice(-mostNameUnits).replace(/^[\udc00-\udfff]/, '')
  return /^\.{0,2}$/.test(short) ? '_' : short
}
