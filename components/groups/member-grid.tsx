import { useRouter } from 'next/navigation'
import { type KeyboardEvent, type PointerEvent, useCallback, useRef, useState } from 'react'
import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import { metricOf } from '@/lib/groups/contract-csv'
import { formatMetric } from '../jobs/list/job-cell'
import { formatNumber } from '../ui/format-number'
import { describeParameters } from './describe-parameters'
import { drawMark } from './draw-mark'
import { cellAt, layOutGrid, nextCell } from './grid-layout'
import { labelOf, type MemberStatus, memberStatuses } from './member-status'
import { type Drawing, useCanvas, useWidth } from './use-canvas'

interface MemberGridProps {
  group: GroupDetail
  /** Those that are loaded. */
  members: readonly GroupMember[]
}

/** Until the width is known, so that the page does not jump. */
const usualWidth = 1000

/** One square for each member. For the keyboard, it is a slider over the members; Enter opens the job of one. */
export function MemberGrid({ group, members }: MemberGridProps) {
  const router = useRouter()
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host)
  const [at, setAt] = useState<number | null>(null)
  const layout = layOutGrid(group.members, width || usualWidth)
  const { size, columns, height } = layout
  const best = group.best?.index ?? null
  const draw = useCallback(
    (drawing: Drawing) => {
      const gap = size >= 8 ? 2 : 1
      const place = (cell: number) => ({
        x: (cell % columns) * size,
        y: Math.floor(cell / columns) * size,
        size: size - gap,
      })
      for (const { index, status } of members) drawMark(drawing, status, place(index))
      const ring = (cell: number, variable: string) => {
        const { x, y, size: side } = place(cell)
        drawing.context.strokeStyle = drawing.colour(variable)
        drawing.context.lineWidth = 2
        drawing.context.strokeRect(x, y, side, side)
      }
      if (best !== null) ring(best, '--ink')
      if (at !== null) ring(at, '--focus')
    },
    [members, size, columns, best, at],
  )
  const canvas = useCanvas(draw)
  const shown = at === null ? undefined : members[at]
  const open = (member: GroupMember | undefined) => {
    if (member?.has_job) router.push(`/jobs/${member.job_id}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = nextCell(event.key, at, layout, members.length)
    if (to === null && event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    if (event.key === 'Enter') open(shown)
    else setAt(to)
  }
  const cellOf = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const { left = 0, top = 0 } = canvas.current?.getBoundingClientRect() ?? {}
    return cellAt(layout, members.length, clientX - left, clientY - top)
  }
  const onPointer = (event: PointerEvent) => setAt(cellOf(event))
  return (
    <div className="flex min-w-0 flex-col gap-2 p-4">
      <Legend group={group} />
      <div
        ref={host}
        role="slider"
        aria-label={`Members of the group, ${formatNumber(group.members)}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, group.members - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={shown ? describeMember(shown, group) : 'No member chosen'}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onPointerLeave={({ pointerType }) => {
          if (pointerType !== 'touch') setAt(null)
        }}
        onClick={(event) => {
          // A finger reads first: it opens the job by the table.
          const cell = cellOf(event)
          if (cell !== null && (event.nativeEvent as globalThis.PointerEvent).pointerType !== 'touch')
            open(members[cell])
        }}
        className="min-w-0 cursor-pointer touch-pan-y rounded-sm"
      >
        <canvas ref={canvas} aria-hidden className="block w-full" style={{ height }} />
      </div>
      <p className="min-h-5 wrap-anywhere text-muted text-xs">
        {shown ? describeMember(shown, group) : 'Point at a square to see its parameters.'}
      </p>
    </div>
  )
}

/** "#3: lr 0.1, seed 2. Completed, val_loss 0.25". */
export function describeMember(
  member: GroupMember,
  { objective, best }: Pick<GroupDetail, 'objective' | 'best'>,
) {
  const parts = [
    member.reason_text && member.status !== 'completed'
      ? `${labelOf(member.status)}: ${member.reason_text}`
      : labelOf(member.status),
  ]
  const value = objective ? metricOf(member, objective.metric) : undefined
  if (objective && value !== undefined) parts.push(`${objective.metric} ${formatMetric(value)}`)
  if (best?.index === member.index) parts.push('the best')
  return `#${member.index}: ${describeParameters(member)}. ${parts.join(', ')}`
}

function Legend({ group: { counts } }: Pick<MemberGridProps, 'group'>) {
  return (
    <ul aria-label="Members by status" className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
      {memberStatuses.map(({ status, label }) =>
        counts[status] === 0 ? null : (
          <li key={status} className="flex items-center gap-1.5 tabular-nums">
            <Mark status={status} />
            {label} {formatNumber(counts[status])}
          </li>
        ),
      )}
    </ul>
  )
}

/** The square of a status, as in the grid. */
function Mark({ status }: { status: MemberStatus }) {
  const draw = useCallback(
    (drawing: Drawing) => drawMark(drawing, status, { x: 0, y: 0, size: 12 }),
    [status],
  )
  return <canvas ref={useCanvas(draw)} aria-hidden className="size-3" />
}
