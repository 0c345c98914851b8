import { useRouter } from 'next/navigation'
import { type KeyboardEvent, type PointerEvent, useCallback, useMemo, useState } from 'react'
import type { GroupDetail } from '@/lib/groups/contract'
import { formatMetric } from '../../jobs/list/job-cell'
import { formatCount } from '../../ui/format-number'
import { describeParameters } from '../describe-parameters'
import { type Drawing, useCanvas } from '../use-canvas'
import { cutText } from './cut-text'
import { type DrawnMember, valuesOf } from './drawn-members'
import { scaleOf } from './scale'

interface ScatterProps {
  group: GroupDetail
  drawn: readonly DrawnMember[]
  parameter: string
  metric: string
}

const margin = { left: 56, right: 12, top: 10, bottom: 26 }
/** A pointer that is farther from a point does not mean it. */
const nearPx = 14
/** The radius of the smallest circle. */
const smallest = 2

interface Point {
  /** From 0 to 1, from the left and from the bottom. */
  x: number
  y: number
  drawn: DrawnMember
}

/** One parameter against a metric: a point for each member. For the keyboard, it is a slider over the points from the left to the right. */
export function Scatter({ group, drawn, parameter, metric }: ScatterProps) {
  const router = useRouter()
  const [at, setAt] = useState<number | null>(null)
  const { points, xScale, yScale } = useMemo(() => place(drawn, parameter), [drawn, parameter])
  const best = group.best?.index
  const draw = useCallback(
    (drawing: Drawing) => {
      const { context, colour, width, height, font } = drawing
      const toX = (x: number) => margin.left + x * (width - margin.left - margin.right)
      const toY = (y: number) => height - margin.bottom - y * (height - margin.top - margin.bottom)
      context.font = font
      context.fillStyle = colour('--muted')
      context.strokeStyle = colour('--line')
      context.textAlign = 'center'
      const tickWidth = (width - margin.left) / xScale.ticks.length - 6
      for (const tick of xScale.ticks)
        context.fillText(cutText(context, tick.text, tickWidth), toX(tick.at), height - 8)
      context.textAlign = 'right'
      context.textBaseline = 'middle'
      for (const tick of yScale.ticks) {
        context.fillText(cutText(context, tick.text, margin.left - 10), margin.left - 8, toY(tick.at))
        context.beginPath()
        context.moveTo(margin.left, toY(tick.at))
        context.lineTo(width - margin.right, toY(tick.at))
        context.stroke()
      }
      const circle = ({ x, y }: Point, radius: number) => {
        context.beginPath()
        context.arc(toX(x), toY(y), radius, 0, 2 * Math.PI)
      }
      const radius = points.length > 2_000 ? 1.5 : points.length > 300 ? 2.5 : 4
      context.fillStyle = colour('--series-1')
      context.strokeStyle = colour('--series-1')
      context.globalAlpha = points.length > 300 ? 0.55 : 0.8
      for (const point of points) {
        // Very small circles look like squares, which are drawn faster.
        if (radius < smallest) {
          context.fillRect(toX(point.x) - radius, toY(point.y) - radius, 2 * radius, 2 * radius)
          continue
        }
        circle(point, radius)
        // A member that has not completed has a hollow point.
        if (point.drawn.member.status === 'completed') context.fill()
        else context.stroke()
      }
      context.globalAlpha = 1
      const ring = (point: Point | undefined, variable: string) => {
        if (!point) return
        context.strokeStyle = colour(variable)
        context.lineWidth = 2
        circle(point, radius + 3)
        context.stroke()
      }
      ring(
        points.find(({ drawn: { member } }) => member.index === best),
        '--ink',
      )
      ring(at === null ? undefined : points[at], '--focus')
    },
    [points, xScale, yScale, best, at],
  )
  const canvas = useCanvas(draw)
  const shown = at === null ? undefined : points[at]
  const text = shown ? describePoint(shown, metric) : null
  const open = () => {
    if (shown?.drawn.member.has_job) router.push(`/jobs/${shown.drawn.member.job_id}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = nextPoint(event.key, at, points.length)
    if (to === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (to === undefined) open()
    else setAt(to)
  }
  const onPointer = ({ clientX, clientY }: PointerEvent) => {
    const box = canvas.current?.getBoundingClientRect()
    if (box) setAt(nearestPoint(points, box, clientX - box.left, clientY - box.top))
  }
  return (
    <div className="min-w-0">
      <div
        role="slider"
        aria-label={`${metric} by ${parameter}, ${formatCount(points.length, 'member')}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={text ?? 'No member chosen'}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={({ pointerType }) => {
          if (pointerType !== 'touch') setAt(null)
        }}
        onClick={open}
        className={shown ? 'cursor-pointer touch-pan-y rounded-sm' : 'touch-pan-y rounded-sm'}
      >
        <canvas ref={canvas} aria-hidden className="block h-64 w-full" />
      </div>
      <p className="min-h-5 wrap-anywhere text-muted text-xs">
        {text ??
          `${parameter}${xScale.kind === 'logarithmic' ? ' (logarithmic)' : ''} against ${metric}${yScale.kind === 'logarithmic' ? ' (logarithmic)' : ''}. Hollow points have not completed.`}
      </p>
    </div>
  )
}

/** The points from the left to the right, and on one place from the bottom to the top. */
function place(drawn: readonly DrawnMember[], parameter: string) {
  const xScale = scaleOf(valuesOf(drawn, parameter))
  const yScale = scaleOf(drawn.map(({ value }) => value))
  const points = drawn.flatMap((one): Point[] => {
    const value = one.member.parameters[parameter]
    return value === undefined ? [] : [{ x: xScale.place(value), y: yScale.place(one.value), drawn: one }]
  })
  return { points: points.toSorted((a, b) => a.x - b.x || a.y - b.y), xScale, yScale }
}

function nearestPoint(
  points: readonly Point[],
  { width, height }: { width: number; height: number },
  x: number,
  y: number,
): number | null {
  let nearest: number | null = null
  let least = nearPx
  for (const [at, point] of points.entries()) {
    const own = Math.hypot(
      margin.left + point.x * (width - margin.left - margin.right) - x,
      height - margin.bottom - point.y * (height - margin.top - margin.bottom) - y,
    )
    if (own < least) {
      least = own
      nearest = at
    }
  }
  return nearest
}

/** Undefined: the key is not for the chart. */
function nextPoint(key: string, from: number | null, count: number): number | null | undefined {
  switch (key) {
    case 'ArrowRight':
      return Math.min((from ?? -1) + 1, count - 1)
    case 'ArrowLeft':
      return Math.max((from ?? 1) - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'Escape':
      return null
    default:
      return undefined
  }
}

const describePoint = ({ drawn: { member, value } }: Point, metric: string) =>
  `#${member.index}: ${describeParameters(member)}. ${metric} ${formatMetric(value)}`
