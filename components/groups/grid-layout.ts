/** Sizes of a cell with its gap, in CSS pixels. */
const sizes = [20, 16, 13, 10, 8, 6, 5] as const
const smallest = 4
/** A grid that is higher pushes the table out of the window. */
const mostHeight = 260

export interface GridLayout {
  size: number
  columns: number
  height: number
}

/** The largest cells with which a grid is not too high. */
export function layOutGrid(cells: number, width: number): GridLayout {
  const of = (size: number) => {
    const columns = Math.max(1, Math.floor(width / size))
    return { size, columns, height: Math.ceil(cells / columns) * size }
  }
  return sizes.map(of).find(({ height }) => height <= mostHeight) ?? of(smallest)
}

/** The cell at a place of the grid; null: none. */
export function cellAt({ size, columns }: GridLayout, cells: number, x: number, y: number): number | null {
  const column = Math.floor(x / size)
  const cell = Math.floor(y / size) * columns + column
  return x < 0 || y < 0 || column >= columns || cell >= cells ? null : cell
}

/** The cell to which a key leads; null: the key is not for the grid. */
export function nextCell(
  key: string,
  from: number | null,
  { columns }: GridLayout,
  cells: number,
): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
  }
  if (key === 'Home') return 0
  if (key === 'End') return cells - 1
  const step = steps[key]
  if (step === undefined) return null
  if (from === null) return 0
  const to = from + step
  return to < 0 || to >= cells ? from : to
}
