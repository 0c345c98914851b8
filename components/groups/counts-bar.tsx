import type { Group } from '@/lib/groups/contract'
import { cn } from '../ui/class-names'
import { formatNumber } from '../ui/format-number'
import { countEnded, memberStatuses } from './member-status'

/** Stripes tell apart what ended badly or not at all, also without colours. */
const fills = {
  completed: 'bg-success-ink',
  failed:
    'bg-[repeating-linear-gradient(45deg,var(--danger-ink)_0_3px,color-mix(in_srgb,var(--danger-ink)_45%,transparent)_3px_5px)]',
  cancelled: 'bg-[repeating-linear-gradient(-45deg,var(--edge)_0_2px,transparent_2px_4px)]',
  running: 'bg-accent',
  paused:
    'bg-[repeating-linear-gradient(90deg,var(--warning-ink)_0_3px,color-mix(in_srgb,var(--warning-ink)_35%,transparent)_3px_5px)]',
  pending: 'bg-edge',
  held: '',
} as const

/** How many members have which status: a stacked bar, and the number that ended. */
export function CountsBar({
  group,
  className,
}: {
  group: Pick<Group, 'counts' | 'members'>
  className?: string
}) {
  const { counts, members } = group
  const shown = memberStatuses.filter(({ status }) => counts[status] > 0)
  const text = shown
    .map(({ status, label }) => `${formatNumber(counts[status])} ${label.toLowerCase()}`)
    .join(', ')
  return (
    <span className={cn('flex min-w-0 items-center gap-2', className)} title={text}>
      <span aria-hidden className="flex h-2 w-28 shrink-0 overflow-hidden rounded-full bg-pressed">
        {shown.map(({ status }) => (
          <span
            key={status}
            className={cn('h-full', fills[status])}
            style={{ width: `${(counts[status] / members) * 100}%` }}
          />
        ))}
      </span>
      <span aria-hidden className="whitespace-nowrap text-muted text-xs tabular-nums">
        {formatNumber(countEnded(group))} of {formatNumber(members)}
      </span>
      <span className="sr-only">{text}</span>
    </span>
  )
}
