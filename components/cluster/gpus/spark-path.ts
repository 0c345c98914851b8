/** The time and the values that a sparkline spans. */
export interface SparkFrame {
  /** Unix time in seconds. */
  from: number
  to: number
  /** The value at the upper edge; 0 is the lower one. */
  max: number
  /** Seconds between two samples, if they may be further apart than those of other lines. */
  step?: number
}

export interface SparkPath {
  line: string
  area: string
}

/** The size of the SVG's view box. */
export const sparkWidth = 120
export const sparkHeight = 24
/** Space for the stroke. */
const margin = 1
/** The line breaks between samples that are more columns apart. */
const widestStep = 6

/**
 * The paths of a series and of the area below it. Each column shows its highest sample, so that short peaks stay
 * visible.
 */
export function sparkPath(
  at: readonly number[],
  values: readonly (number | null)[],
  frame: SparkFrame,
): SparkPath {
  const stepColumns = ((frame.step ?? 0) / Math.max(1, frame.to - frame.from)) * sparkWidth
  const lines = splitAtGaps(toColumns(at, values, frame), Math.max(widestStep, 2.5 * stepColumns))
  const toY = (value: number) => {
    const share = Math.min(1, Math.max(0, value / frame.max))
    return round(sparkHeight - margin - share * (sparkHeight - 2 * margin))
  }
  const texts = lines.map((points) => points.map(([x, value]) => `${x} ${toY(value)}`).join('L'))
  return {
    // A single point is a line without length. The round cap makes it a dot.
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

function splitAtGaps(points: readonly Point[], widest: number): Point[][] {
  const lines: Point[][] = []
  for (const point of points) {
    const last = lines.at(-1)
    const before = last?.at(-1)
    if (last && before && point[0] - before[0] <= widest) last.push(point)
    else lines.push([point])
  }
  return lines
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
