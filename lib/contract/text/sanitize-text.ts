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
 * Makes the paths of a job safe for a user's disk. They are unique and relative, do not lead to a parent directory, and have no
 * invisible characters and no separators of other systems. Every other name stays as the job wrote it.
 * @param windows whether the disk is that of Windows, which has no `:` in names, for example
 */
export function safePaths(paths: readonly string[], windows = false): string[] {
  const safe = paths.map((path) =>
    path
      .split('/')
      .map((name) => safeSegment(name, windows))
      .join('/'),
  )
  const taken = new TakenPaths()
  // A changed name must not take the place of a real one.
  const real = safe.map((name, index) => (name === paths[index] ? taken.take(name) : null))
  return safe.map((name, index) => real[index] ?? taken.take(name))
}

/** Gives each path a name of its own. */
class TakenPaths {
  readonly #files = new Set<string>()
  readonly #directories = new Set<string>()

  take(path: string): string {
    const [first = '', ...rest] = path.split('/')
    for (let count = 1; ; count++) {
      const mark = count === 1 ? '' : `-${count}`
      // If a file has the name of a directory, the mark goes after the directory; otherwise after the name.
      for (const name of [path + mark, [first + mark, ...rest].join('/')]) {
        const above = directoriesOf(name)
        if (this.#files.has(name) || this.#directories.has(name)) continue
        if (above.some((directory) => this.#files.has(directory))) continue
        this.#files.add(name)
        for (const directory of above) this.#directories.add(directory)
        return name
      }
    }
  }
}

function directoriesOf(path: string): string[] {
  const segments = path.split('/')
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))
}

/** Whether Windows takes a name for a device, in any directory and with any extension. */
export function isDeviceName(name: string): boolean {
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(\.|$)/i.test(name)
}

/** The longest name of common file systems, with room for a mark. */
const mostNameBytes = 255
const cutNameBytes = 240

function safeSegment(segment: string, windows: boolean): string {
  const shown = shortened(segment.replace(unseen, '_').replace(/[\\\ufffd]/g, '_'))
  if (shown === '' || shown === '.' || shown === '..') return '_'
  if (!windows) return shown
  // Windows cuts dots and spaces at the end.
  const held = shown.replace(/[:*?"<>|]/g, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  return isDeviceName(held) ? `_${held}` : held
}

/** The end of a name that is too long for a disk. */
function shortened(name: string): string {
  const bytes = new TextEncoder().encode(name)
  if (bytes.length <= mostNameBytes) return name
  // The rest of a divided character is left out.
  return new TextDecoder().decode(bytes.subarray(-cutNameBytes)).replace(/^\ufffd+/, '')
}
