import { visibleOutput } from '@/lib/contract/text/visible-output'
import type { Colour } from './terminal'
import { paint, type Terminal, withoutControls } from './terminal'

export interface Column<Row> {
  title: string
  cell(row: Row): string | number | null
  colour?(row: Row): Colour | null
  right?: boolean
  /** A text of any length, which is shortened if the table is wider than the terminal. */
  long?: boolean
}

/**
 * Renders aligned columns. In a pipe there are no colours, but the columns stay readable. On a terminal no line of a
 * table with long texts is wider than the screen: columns without a value are left out, then long texts are shortened, and at last the
 * lines end at the edge.
 */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { outIsTerminal, coloursWanted, screen }: Pick<Terminal, 'outIsTerminal' | 'coloursWanted' | 'screen'>,
): string {
  const colours = outIsTerminal && coloursWanted
  const measured = columns.map((column) => {
    const values = rows.map((row) => column.cell(row))
    const cells = values.map((value) => visibleOutput(withoutControls(String(value ?? none))))
    const width = Math.max(widthOf(column.title), ...cells.map(widthOf))
    return { column, cells, width, isEmpty: values.every((value) => value === null || value === '') }
  })
  const shown = fitColumns(measured, (outIsTerminal && screen()?.columns) || Number.POSITIVE_INFINITY)
  const lineOf = (textAt: (one: (typeof shown)[number]) => string, row: Row | null) =>
    shown
      .map((one, at) => {
        const { column, width } = one
        const text = shortened(textAt(one), width)
        const space = ' '.repeat(Math.max(0, width - widthOf(text)))
        const painted = paint(text, row === null ? 'dim' : (column.colour?.(row) ?? null), colours)
        if (column.right) return space + painted
        return at === shown.length - 1 ? painted : painted + space
      })
      .join(gap)
  const head = lineOf(({ column }) => column.title, null)
  const body = rows.map((row, index) => lineOf(({ cells }) => cells[index] ?? '', row))
  return `${[head, ...body].join('\n')}\n`
}

const none = '-'
const gap = '  '
/** A shorter text says too little. */
const leastWidth = 8

interface Measured {
  column: Pick<Column<never>, 'long'>
  width: number
  isEmpty: boolean
}

/** The columns, and their widths, that have room in lines of this width. */
function fitColumns<One extends Measured>(all: readonly One[], screenWidth: number): One[] {
  const excessOf = (some: readonly One[]) =>
    some.reduce((sum, { width }) => sum + width + gap.length, -gap.length) - screenWidth
  if (excessOf(all) <= 0 || !all.some(({ column }) => column.long)) return [...all]
  const shown = all.filter(({ isEmpty }) => !isEmpty).map((one) => ({ ...one }))
  for (let excess = excessOf(shown); excess > 0; excess--) {
    const [longest] = shown.filter(({ column }) => column.long).toSorted((a, b) => b.width - a.width)
    if (longest === undefined || longest.width <= leastWidth) break
    longest.width -= 1
  }
  let left = screenWidth + gap.length
  for (const one of shown) {
    one.width = Math.min(one.width, left - gap.length)
    left -= one.width + gap.length
  }
  return shown.filter(({ width }) => width > 0)
}

/** The beginning of a text that is wider than its column. */
function shortened(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`
}

/** Counts characters instead of UTF-16 units, because names may contain any character. */
function widthOf(text: string): number {
  return [...text].length
}
