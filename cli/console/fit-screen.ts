import { stripVTControlCharacters } from 'node:util'

/** The size of a terminal, in characters. */
export interface Screen {
  rows: number
  columns: number
}

/**
 * Cuts a text to the height of the screen and counts the hidden lines. Lines that scroll away could not be
 * redrawn.
 */
export function fitScreen(text: string, { rows, columns }: Screen): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const heightOf = (line: string) =>
    Math.max(1, Math.ceil([...stripVTControlCharacters(line)].length / columns))
  const height = lines.reduce((sum, line) => sum + heightOf(line), 0)
  // Keep the last row empty: text in it would scroll the screen.
  if (height < rows) return text
  let left = rows - 2
  const shown = lines.findIndex((line) => {
    left -= heightOf(line)
    return left < 0
  })
  return `${[...lines.slice(0, shown), `… and ${lines.length - shown} more lines`].join('\n')}\n`
}
