import type { TableShape } from './detect-shape'
import { preview, shorten, showText } from './json-text'

/** What is shown of a cell; the tree shows all of it. */
const cellCharacters = 300

/** The text of a cell, in one line. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return value === null ? 'null' : ''
  if (typeof value === 'string') return showText(shorten(value, cellCharacters)).replace(/[\r\n]+/g, ' ')
  if (typeof value === 'object') return preview(value, cellCharacters)
  return String(value)
}

const sampledRows = 200
const [narrowest, widest] = [6, 48]

export interface ColumnLook {
  /** In characters. */
  width: number
  /** Nothing but numbers: they stand to the right, so that their digits line up. */
  numeric: boolean
}

/** How each column looks, from the rows at the top: measuring all of them would make scrolling jump. */
export function lookOfColumns({ columns, rows }: TableShape): ColumnLook[] {
  const sample = rows.slice(0, sampledRows)
  return columns.map((name, column) => {
    const longest = sample.reduce(
      (length, row) => Math.max(length, cellText(row[column]).length),
      name.length + 2,
    )
    const known = sample.map((row) => row[column]).filter((value) => value !== null && value !== undefined)
    const numeric = known.length > 0 && known.every((value) => typeof value === 'number')
    return { width: Math.min(widest, Math.max(narrowest, longest)), numeric }
  })
}
