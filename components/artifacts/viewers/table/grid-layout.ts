import type { Span } from './engine/table-messages'

/** The height of each row in pixels. */
export const rowHeight = 28

/** Firefox does not lay out elements that are higher than about 17 million pixels. */
const maxHeight = 15_000_000
/** Rows outside of the view that are rendered, so that scrolling shows no gaps. */
const overscan = 10

export interface RowLayout {
  /** The height of all rows together. More than 500,000 rows are scrolled faster than the pointer moves. */
  height: number
  /** The rows to render. */
  rows: Span
  /** A row is this many pixels below its number times its height. */
  shift: number
}

/** The rows in view. */
export function layOutRows(count: number, scrollTop: number, viewHeight: number): RowLayout {
  const total = count * rowHeight
  const height = Math.min(total, maxHeight)
  const top = Math.max(0, scrollTop) * scaleOf(total, viewHeight)
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const last = Math.min(count, Math.ceil((top + viewHeight) / rowHeight) + overscan)
  return { height, rows: [Math.min(first, last), last], shift: height === total ? 0 : scrollTop - top }
}

/** How many pixels of rows one pixel of scrolling passes. */
function scaleOf(total: number, viewHeight: number): number {
  return total <= maxHeight ? 1 : (total - viewHeight) / (maxHeight - viewHeight)
}

/** The scroll position that shows a row; the current one if the row is in view. */
export function scrollTopFor(row: number, count: number, scrollTop: number, viewHeight: number): number {
  const scale = scaleOf(count * rowHeight, viewHeight)
  const top = scrollTop * scale
  if (row * rowHeight < top) return (row * rowHeight) / scale
  const below = (row + 1) * rowHeight - viewHeight
  return below > top ? below / scale : scrollTop
}

/** The columns in view. */
export function columnsInView(starts: readonly number[], scrollLeft: number, viewWidth: number): Span {
  const count = starts.length - 1
  let first = 0
  while (first < count - 1 && (starts[first + 1] ?? 0) <= scrollLeft) first++
  let last = first
  while (last < count && (starts[last] ?? 0) < scrollLeft + viewWidth) last++
  return [first, last]
}

/** Where each column starts, and where the last one ends, in pixels. Widths are in characters. */
export function columnStarts(widths: readonly number[]): number[] {
  const starts = [0]
  for (const width of widths) starts.push((starts.at(-1) ?? 0) + Math.round(width * 7.3) + 24)
  return starts
}

/** A cell of the grid. Row -1 is the header. */
export interface GridCell {
  row: number
  column: number
}

/** The column by which the rows are sorted. */
export interface TableSort {
  column: number
  descending: boolean
}

/** The cell to which a key leads; null for other keys. */
export function moveInGrid(
  { row, column }: GridCell,
  key: string,
  { rows, columns, page, ctrl }: { rows: number; columns: number; page: number; ctrl: boolean },
): GridCell | null {
  const at = (nextRow: number, nextColumn: number) => ({
    row: Math.max(-1, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  })
  switch (key) {
    case 'ArrowDown':
      return at(row + 1, column)
    case 'ArrowUp':
      return at(row - 1, column)
    case 'ArrowLeft':
      return at(row, column - 1)
    case 'ArrowRight':
      return at(row, column + 1)
    case 'PageDown':
      return at(row + page, column)
    case 'PageUp':
      return at(row - page, column)
    case 'Home':
      return at(ctrl ? 0 : row, 0)
    case 'End':
      return at(ctrl ? rows - 1 : row, columns - 1)
    default:
      return null
  }
}
