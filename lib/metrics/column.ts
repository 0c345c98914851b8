/**
 * Numbers with the lines in which they were printed, in order. Typed arrays, because a job may print millions. A column
 * that was thinned keeps only the lowest and the highest of each group of values, so it never loses a peak.
 */
export class Column {
  #rows = new Uint32Array(16)
  #values = new Float64Array(16)
  /** Number of kept values. */
  #length = 0
  /** Number of added values. */
  count = 0
  notFinite = 0
  /** The last finite value. */
  last: number | null = null
  /** Number of values in a group; 1: each value is kept. */
  #groupSize = 1
  /** Number of values in the last group, whose lowest and highest are the last two kept values. */
  #grouped = 0

  get length(): number {
    return this.#length
  }

  get rows(): Uint32Array {
    return this.#rows.subarray(0, this.#length)
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.#length)
  }

  /** Adds a value; NaN stands for one that is not finite. */
  push(row: number, value: number): void {
    this.count++
    if (Number.isNaN(value)) this.notFinite++
    else this.last = value
    this.#keep(row, value)
    if (this.#grouped === this.#groupSize) this.#grouped = 0
  }

  /** Halves the number of kept values, and of those that come. */
  thin(): void {
    const rows = this.rows
    const values = this.values
    this.#resize(Math.max(16, this.#length >> 1), 0)
    const size = this.#groupSize
    // Four kept values, of two groups, become two.
    this.#groupSize = 4
    this.#grouped = 0
    for (const [at, value] of values.entries()) {
      this.#keep(rows[at] ?? 0, value)
      if (this.#grouped === 4) this.#grouped = 0
    }
    this.#groupSize = size === 1 ? 4 : size * 2
    this.#grouped = 0
  }

  /** Adds a value to the last group, of which at most two are kept. */
  #keep(row: number, value: number): void {
    this.#grouped++
    if (this.#groupSize === 1 || this.#grouped <= 2) this.#append(row, value)
    else this.#replace(row, value)
  }

  /** Drops the middle one of the last two values and a new one. NaN is dropped first. */
  #replace(row: number, value: number): void {
    const [first, second] = [this.#length - 2, this.#length - 1]
    const [one, other] = [this.#values[first] ?? Number.NaN, this.#values[second] ?? Number.NaN]
    const dropped = middleOf(one, other, value)
    if (dropped === 2) return
    if (dropped === 0) this.#set(first, this.#rows[second] ?? 0, other)
    this.#set(second, row, value)
  }

  #append(row: number, value: number): void {
    if (this.#length === this.#rows.length) this.#resize(this.#length * 2, this.#length)
    this.#set(this.#length, row, value)
    this.#length++
  }

  #set(position: number, row: number, value: number): void {
    this.#rows[position] = row
    this.#values[position] = value
  }

  #resize(size: number, kept: number): void {
    const rows = new Uint32Array(size)
    const values = new Float64Array(size)
    rows.set(this.#rows.subarray(0, kept))
    values.set(this.#values.subarray(0, kept))
    this.#rows = rows
    this.#values = values
    this.#length = kept
  }
}

/** The position of the value that is neither the lowest nor the highest of three. */
function middleOf(first: number, second: number, third: number): 0 | 1 | 2 {
  if (Number.isNaN(third)) return 2
  if (Number.isNaN(first)) return 0
  if (Number.isNaN(second)) return 1
  if (first <= second ? second <= third : second >= third) return 1
  return (first <= second ? first >= third : first <= third) ? 0 : 2
}
