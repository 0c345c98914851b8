import { axisNames, commonAxes } from '../contract/output/axes'
import { isMetricName, visitNumbers } from '../results/metrics'
import { Column } from './column'

/** The most metrics of a job. */
const maxNames = 10_000
/** The most values in memory for one job, which take 12 bytes each. */
export const maxValues = 4_000_000
/** Shorter columns are not thinned. */
const shortColumn = 64

/** All metrics that one task printed, in bounded memory. */
export class SeriesStore {
  readonly columns = new Map<string, Column>()
  /** Seconds since the first line, for each line whose time differs from that of the line before. */
  readonly time = new Column()
  /** Number of lines with numbers. */
  lines = 0
  /** Whether values were removed because there are too many. */
  thinned = false
  /** Values in memory. */
  size = 0
  #lastTime = ''
  #firstMs = Number.NaN

  constructor(readonly limit = maxValues) {}

  /** Adds the numbers of a line. */
  add(line: unknown, time: string): void {
    const row = this.lines
    let found = false
    visitNumbers(line, (name, value) => {
      const column = this.#columnOf(name)
      if (!column) return
      this.#push(column, row, value)
      found = true
    })
    if (!found) return
    this.lines++
    if (time !== this.#lastTime) this.#addTime(row, time)
    if (this.size > this.limit) this.#thin()
  }

  /** The axes that this task can have, the best first. */
  get axes(): string[] {
    const counters = axisNames.filter((name) => (this.columns.get(name)?.length ?? 0) > 0)
    return [...counters, ...commonAxes]
  }

  #columnOf(name: string): Column | undefined {
    const known = this.columns.get(name)
    if (known || this.columns.size >= maxNames || !isMetricName(name)) return known
    const column = new Column()
    this.columns.set(name, column)
    return column
  }

  #addTime(row: number, time: string): void {
    this.#lastTime = time
    const ms = Date.parse(time)
    if (Number.isNaN(this.#firstMs)) this.#firstMs = ms
    if (Number.isNaN(ms)) return
    this.#push(this.time, row, (ms - this.#firstMs) / 1000)
  }

  #push(column: Column, row: number, value: number): void {
    const before = column.length
    column.push(row, value)
    this.size += column.length - before
  }

  #thin(): void {
    this.thinned = true
    this.size = 0
    for (const column of [...this.columns.values(), this.time]) {
      if (column.length > shortColumn) column.thin()
      this.size += column.length
    }
  }
}
