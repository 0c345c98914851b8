/** A row of a table: the group to which it belongs, and its numbers by name. */
export interface GroupedRow {
  key: string
  values: Record<string, number | undefined>
}

/** What the rows of a group have in a metric. */
export interface Summary {
  /** Number of rows with a value. */
  count: number
  mean: number
  /** The sample standard deviation; undefined: there are fewer than two values. */
  spread: number | undefined
  min: number
  max: number
}

export interface RowGroup {
  key: string
  /** Number of rows. */
  count: number
  /** A metric of which no row has a value is absent. */
  metrics: Record<string, Summary>
}

/** Summarizes the rows of each group, in the order in which the groups first appear. */
export function groupRows(rows: readonly GroupedRow[], metrics: readonly string[]): RowGroup[] {
  const groups = new Map<string, GroupedRow[]>()
  for (const row of rows) {
    const group = groups.get(row.key)
    if (group) group.push(row)
    else groups.set(row.key, [row])
  }
  return [...groups].map(([key, members]) => {
    const summaries = metrics.flatMap((name) => {
      const summary = summarize(members.map(({ values }) => numberIn(values, name)))
      return summary ? [[name, summary] as const] : []
    })
    return { key, count: members.length, metrics: Object.fromEntries(summaries) }
  })
}

/** The number with a name. Programs choose the names, such as `constructor`. */
export function numberIn(values: GroupedRow['values'], name: string): number | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** What the rows of a group have in a metric; undefined: none of them has a value. */
export function summaryOf({ metrics }: RowGroup, metric: string): Summary | undefined {
  return Object.hasOwn(metrics, metric) ? metrics[metric] : undefined
}

/** Summarizes numbers; null: there are none. */
export function summarize(all: readonly (number | undefined)[]): Summary | null {
  const values = all.filter((value) => value !== undefined && Number.isFinite(value)) as number[]
  const count = values.length
  if (count === 0) return null
  // Divided before they are added, because a sum of large numbers is infinite.
  const mean = values.reduce((sum, value) => sum + value / count, 0)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return {
    count,
    mean,
    spread: count < 2 ? undefined : Math.sqrt(squares / (count - 1)),
    min: Math.min(...values),
    max: Math.max(...values),
  }
}
