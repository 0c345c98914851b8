import { visibleOutput } from '@/lib/contract/text/visible-output'
import type { Colour } from './terminal'
import { paint, type Terminal, withoutControls } from './terminal'

export interface Column<Row> {
  title: string
  cell(row: Row): string | number | null
  colour?(row: Row): Colour | null
  right?: boolean
}

/** Renders aligned columns. In a pipe there are no colours, but the columns stay readable. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { outIsTerminal, coloursWanted }: Pick<Terminal, 'outIsTerminal' | 'coloursWanted'>,
): string {
  const colours = outIsTerminal && coloursWanted
  const cells = rows.map((row) =>
    columns.map((column) => visibleOutput(withoutControls(String(column.cell(row) ?? '-')))),
  )
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((line) => widthOf(line[at] ?? ''))),
  )
  const lineOf = (line: readonly string[], colourAt: (at: number) => Colour | null) =>
    line
      .map((text, at) => {
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)))
        const painted = paint(text, colourAt(at), colours)
        if (columns[at]?.right) return space + painted
        return at === line.length - 1 ? painted : painted + space
      })
      .join('  ')
  const head = lineOf(
    columns.map(({ title }) => title),
    () => 'dim',
  )
  const body = rows.map((row, index) =>
    lineOf(cells[index] ?? [], (at) => columns[at]?.colour?.(row) ?? null),
  )
  return `${[head, ...body].join('\n')}\n`
}

/** Counts characters instead of UTF-16 units, because names may contain any character. */
function widthOf(text: string): number {
  return [...text].length
}
