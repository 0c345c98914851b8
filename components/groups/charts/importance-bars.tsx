import { useMemo } from 'react'
import { Link } from '../../ui/link'
import type { DrawnMember } from './drawn-members'
import { importances } from './importance'

interface ImportanceBarsProps {
  parameters: readonly string[]
  drawn: readonly DrawnMember[]
  metric: string
}

/** How much of the variance of a metric each parameter explains alone. */
export function ImportanceBars({ parameters, drawn, metric }: ImportanceBarsProps) {
  const completed = useMemo(() => drawn.filter(({ member }) => member.status === 'completed'), [drawn])
  const shares = useMemo(
    () =>
      importances(
        parameters,
        completed.map(({ member, value }) => ({ parameters: member.parameters, value })),
      ),
    [parameters, completed],
  )
  if (shares.length === 0)
    return (
      <p className="text-muted text-sm">
        Shown when at least four members with different values have completed.
      </p>
    )
  return (
    <>
      <ul aria-label={`Importance for ${metric}`} className="flex flex-col gap-2">
        {shares.map(({ parameter, share }) => (
          <li key={parameter} className="grid grid-cols-[minmax(0,8rem)_1fr_3rem] items-center gap-3 text-sm">
            <span className="truncate" title={parameter}>
              {parameter}
            </span>
            <span aria-hidden className="h-2 overflow-hidden rounded-full bg-pressed">
              <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
            </span>
            <span className="text-right text-muted tabular-nums">{Math.round(share * 100)} %</span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-muted text-xs">
        The share of the variance of {metric} that one parameter explains alone (epsilon squared of an{' '}
        <Link href="https://en.wikipedia.org/wiki/One-way_analysis_of_variance">analysis of variance</Link>),
        among {completed.length} completed members. What only two parameters together explain is in neither.
      </p>
    </>
  )
}
