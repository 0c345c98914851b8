import type { ReactNode } from 'react'
import { cn } from '@/components/ui/class-names'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { LineSample } from '../jobs/result/line-sample'

/** A job, or a group of jobs. */
export interface ComparisonColumn {
  id: string
  label: string
  /** Its colour. */
  index: number
  /** Stands after the label. */
  note?: string
}

export interface ComparisonRow {
  name: string
  /** Stands after the name. */
  action?: ReactNode
  cells: readonly ReactNode[]
  /** The jobs differ in it. */
  differs: boolean
}

interface ComparisonTableProps {
  caption: string
  /** The heading of the names. */
  heading: string
  columns: readonly ComparisonColumn[]
  rows: readonly ComparisonRow[]
  numeric?: boolean
}

/** A table with a column for each job or group. It scrolls sideways, and the names stay visible. */
export function ComparisonTable({ caption, heading, columns, rows, numeric = false }: ComparisonTableProps) {
  const align = numeric ? 'text-right tabular-nums' : 'text-left'
  return (
    <ScrollRegion aria-label={caption} className="max-h-[60dvh] overflow-auto">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th
              scope="col"
              className="sticky top-0 left-0 z-20 bg-sunken px-4 py-2 text-left font-medium text-muted text-xs"
            >
              {heading}
            </th>
            {columns.map(({ id, label, index, note }) => (
              <th
                key={id}
                scope="col"
                className={cn(
                  'sticky top-0 z-10 min-w-32 bg-sunken px-3 py-2 font-medium text-ink text-xs',
                  align,
                )}
              >
                <span className="inline-flex max-w-48 items-center gap-1.5">
                  <LineSample index={index} />
                  <span className="truncate" title={label}>
                    {label}
                  </span>
                  {note ? <span className="shrink-0 font-normal text-subtle">{note}</span> : null}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, action, cells, differs }) => (
            <tr key={name} className="border-t">
              <th
                scope="row"
                className="sticky left-0 z-10 max-w-64 bg-surface px-4 py-1.5 text-left font-normal text-muted"
              >
                <span className="flex min-w-0 items-center gap-1">
                  <span className="min-w-0 truncate" title={name}>
                    {name}
                  </span>
                  {action}
                </span>
              </th>
              {columns.map(({ id }, at) => (
                <td
                  key={id}
                  className={cn(
                    'max-w-80 wrap-anywhere px-3 py-1.5',
                    align,
                    differs ? 'text-ink' : 'text-muted',
                  )}
                >
                  {cells[at] ?? '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
