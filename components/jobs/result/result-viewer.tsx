import { Braces, ChartSpline, type LucideIcon, Table2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { cn } from '@/components/ui/class-names'
import { EmptyState } from '@/components/ui/empty-state'
import { formatCount, formatNumber } from '@/components/ui/format-number'
import { Segmented } from '@/components/ui/segmented'
import { Skeleton } from '@/components/ui/skeleton'
import { indentJson } from '@/lib/contract/output/printed-json'
import { type ChartShape, detectShapes, type ShapeName, type Shapes } from './detect-shape'
import { JsonTree } from './json-tree'
import { ResultTable } from './result-table'
import type { ShownResult } from './shown-result'

/** Uses a canvas, so the server cannot render it. */
const ResultChart = dynamic(() => import('./result-chart').then((module) => module.ResultChart), {
  ssr: false,
  loading: () => <Skeleton className="m-4 h-72" />,
})

interface ResultViewerProps {
  /** The JSON values that a job printed, in order. */
  results: readonly ShownResult[]
  /** The job may print more results. */
  live: boolean
}

const views = {
  chart: { label: 'Chart', icon: ChartSpline },
  table: { label: 'Table', icon: Table2 },
  tree: { label: 'Tree', icon: Braces },
} as const satisfies Record<ShapeName, { label: string; icon: LucideIcon }>

/** The results of a job as a chart, a table or a tree. */
export function ResultViewer({ results, live }: ResultViewerProps) {
  const values = useMemo(() => results.map(({ value }) => value), [results])
  const shapes = useMemo(() => detectShapes(values), [values])
  const repeatsKeys = useMemo(() => results.some((result) => result.repeatsKeys), [results])
  const [wanted, setWanted] = useState<ShapeName | null>(null)
  if (results.length === 0) return <NoResults live={live} />
  const fitting = fittingViews(shapes)
  const view = wanted && fitting.includes(wanted) ? wanted : shapes.best
  const small = view === 'table' && shapes.table !== null && shapes.table.rows.length <= 10
  return (
    <section
      aria-label="Results"
      className={cn(
        'flex flex-col overflow-clip rounded-lg border bg-surface',
        !small && 'h-[60dvh] min-h-96',
        // A chart has a height of its own above its series.
        view === 'chart' && 'max-sm:h-auto',
      )}
    >
      <header className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1.5 border-b px-2 py-1.5">
        <Segmented
          label="Show results as"
          value={view}
          onValueChange={setWanted}
          options={fitting.map((name) => ({ value: name, ...views[name] }))}
        />
        <p className="text-muted text-xs tabular-nums">{sizeOf(values, shapes, view)}</p>
        {repeatsKeys ? (
          <p className="text-muted text-xs">
            An object has a key more than once. Its last value is here; the output has the line as it was
            printed.
          </p>
        ) : null}
      </header>
      {view === 'chart' && shapes.chart ? (
        <ResultChart key={seriesOf(shapes.chart)} shape={shapes.chart} />
      ) : null}
      {view === 'table' && shapes.table ? <ResultTable shape={shapes.table} /> : null}
      {view === 'tree' ? (
        <JsonTree value={values.length === 1 ? values[0] : values} copied={() => toJson(results)} />
      ) : null}
    </section>
  )
}

function toJson(results: readonly ShownResult[]): string {
  const [only, ...others] = results
  if (only && others.length === 0) return indentJson(only.json)
  return indentJson(`[${results.map(({ json }) => json).join(',')}]`)
}

/** Identifies a chart: new points keep the chart, new series replace it. */
function seriesOf({ x, series }: ChartShape): string {
  return JSON.stringify([x.name, ...series.map(({ name }) => name)])
}

function fittingViews({ chart, table }: Shapes): ShapeName[] {
  return [...(chart ? (['chart'] as const) : []), ...(table ? (['table'] as const) : []), 'tree']
}

function sizeOf(results: readonly unknown[], { chart, table }: Shapes, view: ShapeName): string {
  if (view === 'table' && table)
    return `${formatNumber(table.rows.length)} × ${formatNumber(table.columns.length)}`
  if (view === 'chart' && chart) return formatCount(chart.x.values.length, 'point')
  return formatCount(results.length, 'result')
}

function NoResults({ live }: { live: boolean }) {
  return (
    <EmptyState
      icon={Braces}
      title={live ? 'No results yet' : 'No results'}
      className="rounded-lg border bg-surface"
    >
      Print a JSON object or array on one line to report a result:{' '}
      <code className="whitespace-nowrap rounded-sm bg-sunken px-1 font-mono text-xs">
        print(json.dumps({'{'}"epoch": 1, "loss": 0.5{'}'}))
      </code>
    </EmptyState>
  )
}
