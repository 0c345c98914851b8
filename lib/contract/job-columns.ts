import { maxMetricName, metricPrefix } from './search/search-keys'

/** A column of a list of jobs. */
interface JobColumn {
  label: string
  /** Programs show each kind in one way, unless they have a cell of their own for the column. */
  kind: 'text' | 'number'
  /** The field of a job in the API. Left out: the column is made of several, and each program has a cell for it. */
  field?: string
  /** What the field is. It adds the field to the jobs of the API, as text or number. Left out: the API has it anyway. */
  describe?: string
  /** Whether the list can be sorted by the column, under its name. */
  sorts?: true
}

/**
 * The columns of a list of jobs beside its title. The job list and its menu, `gpuq jobs --columns`, the orders of the API and
 * the fields of a listed job are derived from this table.
 */
export const jobColumns = {
  status: { label: 'Status', kind: 'text' },
  user: { label: 'User', kind: 'text' },
  competition: { label: 'Competition', kind: 'text', field: 'competition_id' },
  project: { label: 'Project', kind: 'text', field: 'project_id' },
  environment: { label: 'Environment', kind: 'text', field: 'environment' },
  tags: { label: 'Tags', kind: 'text' },
  node: { label: 'Node', kind: 'text', field: 'node_name' },
  priority: {
    label: 'Priority',
    kind: 'number',
    field: 'priority',
    describe: 'the current priority; jobs with a larger one start earlier',
  },
  wait: { label: 'Wait', kind: 'number', sorts: true },
  run_time: { label: 'Run time', kind: 'number', sorts: true },
  gpu_hours: { label: 'GPU hours', kind: 'number', sorts: true },
  submitted: { label: 'Submitted', kind: 'number', sorts: true },
} as const satisfies Readonly<Record<string, JobColumn>>

type Table = typeof jobColumns
type ColumnWith<Part> = { [Name in keyof Table]: Table[Name] extends Part ? Name : never }[keyof Table]

export type JobColumnName = keyof Table
/** The columns that need a cell of their own in each program. */
export type ComposedColumn = Exclude<JobColumnName, ColumnWith<{ field: string }>>
type PlainField = Table[Exclude<JobColumnName, ComposedColumn>]['field']
export type SortKey = ColumnWith<{ sorts: true }>
/** A column, or `metric.NAME`. */
export type ColumnName = JobColumnName | `metric.${string}`

export const jobColumnNames = Object.keys(jobColumns) as JobColumnName[]
const isSortKey = (name: JobColumnName): name is SortKey => 'sorts' in jobColumns[name]
/** The orders of a list of jobs, besides those of metrics. */
export const sortKeys: readonly SortKey[] = jobColumnNames.filter(isSortKey)

/** A field that a column adds to the jobs of the API. */
export type AddedField = Extract<Table[ColumnWith<{ describe: string }>], { field: string }>['field']
export const addedFields = Object.values<JobColumn>(jobColumns).flatMap(({ field, kind, describe }) =>
  field !== undefined && describe !== undefined ? [{ field, kind, describe }] : [],
)

export function metricOf(column: string): string | null {
  return column.startsWith(metricPrefix) ? column.slice(metricPrefix.length) : null
}

export function columnLabel(column: ColumnName): string {
  return metricOf(column) ?? jobColumns[column as JobColumnName].label
}

export function isColumn(name: string): name is ColumnName {
  const metric = metricOf(name)
  if (metric !== null) return metric !== '' && metric.length <= maxMetricName
  return Object.hasOwn(jobColumns, name)
}

/** The order by which a column sorts; null: it sorts none. */
export function sortOf(column: ColumnName): string | null {
  return metricOf(column) !== null || isSortKey(column as JobColumnName) ? column : null
}

export function isNumeric(column: ColumnName): boolean {
  return metricOf(column) !== null || jobColumns[column as JobColumnName].kind === 'number'
}

/** The value of a column that needs no cell of its own: a field of the job, or a metric; null: the job has none. */
export function plainValue(
  column: Exclude<ColumnName, ComposedColumn>,
  job: { metrics: Record<string, number> } & Partial<Record<PlainField, string | number | null>>,
): string | number | null {
  const metric = metricOf(column)
  if (metric !== null) return job.metrics[metric] ?? null
  return job[jobColumns[column as Exclude<JobColumnName, ComposedColumn>].field] ?? null
}
