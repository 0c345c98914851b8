import { formatCount, formatNumber } from '@/components/ui/format-number'
import type { ColumnType } from './column-type'
import { describeCut, type TableLimits } from './table-limits'
import { TextColumn } from './text-column'

/** The name of a column, and its type if the file says it. */
export interface ColumnHead {
  name: string
  type: ColumnType | null
}

/** The rows that were read so far. */
export class TableData {
  columns: readonly TextColumn[] = []
  count = 0
  #bytes = 0
  #rowsWithMore = 0
  #unshownColumns = 0

  constructor(readonly limits: TableLimits) {}

  /** Sets the columns once, before the first row. Only those within the limit take memory. */
  setColumns(heads: readonly ColumnHead[]): void {
    this.columns = heads.slice(0, this.limits.columns).map(({ name, type }) => new TextColumn(name, type))
    this.#unshownColumns = heads.length - this.columns.length
  }

  /** Appends a row. False: the table is full, and the row was not added. */
  addRow(cells: readonly string[]): boolean {
    if (this.isFull) return false
    for (const [index, column] of this.columns.entries()) this.#bytes += column.push(cells[index] ?? '')
    if (cells.length > this.columns.length + this.#unshownColumns) this.#rowsWithMore++
    this.count++
    return true
  }

  /** Appends the cells of one column. The rows count when all columns have them (`endRows`). */
  addCells(index: number, values: readonly unknown[], toText: (value: unknown) => string): void {
    const column = this.columns[index]
    for (const value of values) {
      if (this.#bytes >= this.limits.bytes) return
      this.#bytes += column?.push(toText(value)) ?? 0
    }
  }

  /** Counts the rows that all columns have. */
  endRows(): void {
    this.count = this.columns.reduce((least, { count }) => Math.min(least, count), Number.POSITIVE_INFINITY)
    if (this.columns.length === 0) this.count = 0
  }

  /** How many more rows the table may have. */
  get freeRows(): number {
    if (this.#bytes >= this.limits.bytes) return 0
    return Math.max(0, Math.floor(this.limits.cells / Math.max(1, this.columns.length)) - this.count)
  }

  get isFull(): boolean {
    const { bytes, cells } = this.limits
    return this.#bytes >= bytes || (this.count + 1) * this.columns.length > cells
  }

  /** What the table does not show of the file, as sentences. */
  notices(cut: boolean): string[] {
    const notices: string[] = []
    if (cut) notices.push(describeCut(this.count, this.limits))
    if (this.#unshownColumns > 0) {
      const all = formatNumber(this.columns.length + this.#unshownColumns)
      notices.push(`The table has only the first ${formatNumber(this.columns.length)} of ${all} columns.`)
    }
    if (this.#rowsWithMore > 0) {
      const verb = this.#rowsWithMore === 1 ? 'has' : 'have'
      notices.push(
        `${formatCount(this.#rowsWithMore, 'row')} ${verb} more cells than there are columns. These cells are not shown.`,
      )
    }
    return notices
  }
}
