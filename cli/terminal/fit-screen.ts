import { stripVTControlCharacters } from 'node:util'

/** The size of a terminal, in characters. */
export interface Screen {
  rows: number
  columns: number
}

/** The beginning of a text that fits on a screen, and how much of it does not: what scrolls away cannot be drawn over. */
export function fitScreen(text: string, { rows, columns }: Screen): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const heightOf = (line: string) =>
    Math.max(1, Math.ceil([...stripVTControlCharacters(line)].length / columns))
  const height = lines.reduce((sum, line) => sum + heightOf(line), 0)
  // The last row stays empty: behind it the screen would scroll.
  if (height < rows) return text
  let left = rows - 2
  const shown = lines.findIndex((line) => {
    left -= heightOf(line)
    return left < 0
  })
  return `${[...lines.slice(0, shown), `… and ${lines.length - shown} more lines`].join('\n')}\n`
}
