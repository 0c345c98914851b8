/** The time and the values that a sparkline spans. */
export interface SparkFrame {
  /** Unix time in seconds. */
  from: number
  to: number
  /** The value at the upper edge; 0 is the lower one. */
  max: number
}

export interface SparkPath {
  line: string
  area: string
}

/** The drawing's own units, stretched over whatever room there is. */
export const sparkWidth = 120
export const sparkHeight = 24
/** Room for the stroke at both edges. */
const margin = 1
/** Samples further apart than this many columns were not taken in between: the line breaks there. */
const widestStep = 6

/**
 * Draws a series as one line and the area below it. Of the samples that fall into one column the highest counts, so that
 * a short peak of an hour ago can still be seen.
 */
export function sparkPath(
  at: readonly number[],
  values: readonly (number | null)[],
  frame: SparkFrame,
): SparkPath {
  const lines = splitAtGaps(toColumns(at, values, frame))
  const toY = (value: number) => {
    const share = Math.min(1, Math.max(0, value / frame.max))
    return round(sparkHeight - margin - share * (sparkHeight - 2 * margin))
  }
  const texts = lines.map((points) => points.map(([x, value]) => `${x} ${toY(value)}`).join('L'))
  return {
    // A lone point is drawn as a line of no length, which a round cap makes a dot.
    line: texts.map((text, index) => `M${text}${lines[index]?.length === 1 ? 'h0.01' : ''}`).join(''),
    area: texts
      .map((text, index) => {
        const points = lines[index] ?? []
        return `M${points[0]?.[0]} ${sparkHeight}L${text}L${points.at(-1)?.[0]} ${sparkHeight}Z`
      })
      .join(''),
  }
}

type Point = readonly [column: number, value: number]

function toColumns(
  at: readonly number[],
  values: readonly (number | null)[],
  { from, to }: SparkFrame,
): Point[] {
  const highest = new Map<number, number>()
  for (const [index, time] of at.entries()) {
    const value = values[index]
    if (value === null || value === undefined || time < from || time > to) continue
    const column = Math.round(((time - from) / Math.max(1, to - from)) * sparkWidth)
    highest.set(column, Math.max(value, highest.get(column) ?? value))
  }
  return [...highest].sort(([left], [right]) => left - right)
}

function splitAtGaps(points: readonly Point[]): Point[][] {
  const lines: Point[][] = []
  for (const point of points) {
    const last = lines.at(-1)
    const before = last?.at(-1)
    if (last && before && point[0] - before[0] <= widestStep) last.push(point)
    else lines.push([point])
  }
  return lines
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
