interface Group<Value> {
  value: Value
  count: number
}

/** Joins two neighbouring values, which stand for so many samples, into one. */
export type Join<Value> = (first: Value, second: Value, counts: readonly [number, number]) => Value

/**
 * Samples over time in bounded memory and with the same resolution everywhere: each kept value stands for an equal part of
 * the time. When there are too many parts, all become twice as long, and neighbours are joined. (As a round-robin archive
 * of RRDtool, whose interval doubles instead of dropping the oldest values.)
 */
export class EvenSeries<Value> {
  #groups: (Group<Value> | undefined)[] = []
  #intervalS: number

  /**
   * @param limit the most values; at least half as many are kept once the series was full
   * @param intervalS seconds of a value at first
   */
  constructor(
    readonly limit: number,
    intervalS: number,
    readonly join: Join<Value>,
  ) {
    this.#intervalS = intervalS
  }

  /** A series that another process began. */
  static of<Value>(
    values: readonly (Value | null)[],
    limit: number,
    intervalS: number,
    join: Join<Value>,
  ): EvenSeries<Value> {
    const series = new EvenSeries(limit, intervalS, join)
    series.#groups = values.map((value) => (value === null ? undefined : { value, count: 1 }))
    return series
  }

  get intervalS(): number {
    return this.#intervalS
  }

  /** One value for each interval since the start; null: it has no sample. */
  get values(): (Value | null)[] {
    return Array.from(this.#groups, (group) => group?.value ?? null)
  }

  /** Adds a sample that was taken so many seconds after the start. */
  add(atS: number, value: Value): void {
    while (Math.floor(atS / this.#intervalS) >= this.limit) this.#halve()
    const index = Math.max(0, Math.floor(atS / this.#intervalS))
    this.#groups[index] = this.#joined(this.#groups[index], { value, count: 1 })
  }

  #halve(): void {
    this.#intervalS *= 2
    const groups = this.#groups
    this.#groups = Array.from({ length: Math.ceil(groups.length / 2) }, (_, at) =>
      this.#joined(groups[2 * at], groups[2 * at + 1]),
    )
  }

  #joined(first: Group<Value> | undefined, second: Group<Value> | undefined): Group<Value> | undefined {
    if (!first || !second) return first ?? second
    const counts = [first.count, second.count] as const
    return { value: this.join(first.value, second.value, counts), count: counts[0] + counts[1] }
  }
}

/** The mean of two means; null: not known. */
export function joinMeans(
  first: number | null,
  second: number | null,
  [one, other]: readonly [number, number],
): number | null {
  if (first === null || second === null) return first ?? second
  return (first * one + second * other) / (one + other)
}

/** The higher of two peaks; null: not known. */
export function joinPeaks(first: number | null, second: number | null): number | null {
  return first === null || second === null ? (first ?? second) : Math.max(first, second)
}
