import type { ColumnType } from './column-type'

/** A filter of one column: a text that the cell contains, or a test of its number. */
export type CellFilter = { contains: string } | { accepts: (value: number) => boolean }

const number = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`
const comparison = new RegExp(`^(>=|<=|!=|>|<|=)\\s*(${number})$`, 'i')
const range = new RegExp(`^(${number})\\s*\\.\\.\\s*(${number})$`, 'i')

/**
 * The filter that a user typed; null: none. Numbers have comparisons such as `> 0.5`, `!= 3` and `1..5`; every other text is
 * searched in the cells.
 */
export function parseFilter(typed: string, type: ColumnType): CellFilter | null {
  const text = typed.trim()
  if (text === '') return null
  if (type === 'number') {
    const [, sign = '', given = ''] = comparison.exec(text) ?? []
    if (sign !== '') return { accepts: compareWith(sign, Number(given)) }
    const [, least, most] = range.exec(text) ?? []
    if (least !== undefined && most !== undefined) {
      const [from, to] = [Number(least), Number(most)]
      return { accepts: (value) => value >= from && value <= to }
    }
  }
  return { contains: text.toLowerCase() }
}

function compareWith(sign: string, other: number): (value: number) => boolean {
  switch (sign) {
    case '>':
      return (value) => value > other
    case '>=':
      return (value) => value >= other
    case '<':
      return (value) => value < other
    case '<=':
      return (value) => value <= other
    case '!=':
      return (value) => value !== other && !Number.isNaN(value)
    default:
      return (value) => value === other
  }
}
