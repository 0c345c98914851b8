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
  const files = new Set<string>()
  const directories = new Set<string>()
  return paths.map((path) => {
    const [first = '', ...rest] = path.split('/').map(safeSegment)
    for (let count = 1; ; count++) {
      const mark = count === 1 ? '' : `-${count}`
      // What stands in the way of a directory gives way at the beginning, another file of the name at the end.
      for (const name of [[first, ...rest].join('/') + mark, [first + mark, ...rest].join('/')]) {
        const own = name.toLowerCase()
        const above = directoriesOf(own)
        if (files.has(own) || directories.has(own) || above.some((directory) => files.has(directory)))
          continue
        files.add(own)
        for (const directory of above) directories.add(directory)
        return name
      }
    }
  })
}

function directoriesOf(path: string): string[] {
  const segments = path.split('/')
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))
}

const mostNameUnits = 80

function safeSegment(segment: string): string {
  const shown = segment.replace(unseen, '_').replace(/[\\:*?"<>|]/g, '_')
  const short =
    shown.length <= mostNameUnits ? shown : shown.slice(-mostNameUnits).replace(/^[\udc00-\udfff]/, '')
  return /^\.{0,2}$/.test(short) ? '_' : short
}
