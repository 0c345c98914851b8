/** Control characters, separators, direction marks, invisible characters, and halves of surrogate pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/**
 * Makes a text of a job safe to show on a page, in a terminal or in a sentence. Replaces each character that is invisible or
 * changes the direction of the text by its code, and shortens the text to `length` characters.
 */
export function visibleText(text: string, length: number): string {
  const shown = text.replace(unseen, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`)
  return shown.length <= length ? shown : `${shown.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * Makes the paths of a job safe for a user's disk. They are unique and relative, do not lead to a parent directory, have no
 * invisible characters or separators of other systems, and name no device of Windows.
 */
export function safePaths(paths: readonly string[]): string[] {
  const files = new Set<string>()
  const directories = new Set<string>()
  return paths.map((path) => {
    const [first = '', ...rest] = path.split('/').map(safeSegment)
    for (let count = 1; ; count++) {
      const mark = count === 1 ? '' : `-${count}`
      // If a file has the name of a directory, the mark goes after the directory; otherwise after the name.
      for (const name of [[first, ...rest].join('/') + mark, [first + mark, ...rest].join('/')]) {
        // Some file systems take two forms of a letter, or two cases, for the same name.
        const own = name.normalize('NFC').toLowerCase()
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

/** Whether Windows takes a name for a device, in any directory and with any extension. */
export function isDeviceName(name: string): boolean {
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(\.|$)/i.test(name)
}

const mostNameUnits = 80

function safeSegment(segment: string): string {
  const shown = segment.replace(unseen, '_').replace(/[\\:*?"<>|\ufffd]/g, '_')
  const short =
    shown.length <= mostNameUnits ? shown : shown.slice(-mostNameUnits).replace(/^[\udc00-\udfff]/, '')
  if (/^\.{0,2}$/.test(short)) return '_'
  // Windows cuts dots and spaces at the end.
  const whole = short.replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  return isDeviceName(whole) ? `_${whole}` : whole
}
