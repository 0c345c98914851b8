import { type CSSProperties, useCallback, useMemo } from 'react'
import type { GroupDetail } from '@/lib/groups/contract'
import { formatCount, formatNumber } from '../../ui/format-number'
import { type Drawing, useCanvas } from '../use-canvas'
import { cutText } from './cut-text'
import { chooseLines, type DrawnMember, prefersSmall, valuesOf } from './drawn-members'
import { scaleOf } from './scale'

interface ParallelCoordinatesProps {
  group: GroupDetail
  /** Those that can be an axis. */
  parameters: readonly string[]
  drawn: readonly DrawnMember[]
  metric: string
}

const margin = { side: 40, top: 6, bottom: 12 }
/** More lines are drawn fainter, because they lie above each other. */
const fewLines = 300

/** An axis for each parameter and one for the metric; a line for each member, the better ones darker and on top. The table has the same as text. */
export function ParallelCoordinates({ group, parameters, drawn, metric }: ParallelCoordinatesProps) {
  const small = prefersSmall(group)
  const lines = useMemo(() => chooseLines(drawn, small), [drawn, small])
  const axes = useMemo(
    () => [
      ...parameters.map((name) => {
        const scale = scaleOf(valuesOf(drawn, name))
        const place = ({ member }: DrawnMember) => {
          const value = member.parameters[name]
          return value === undefined ? null : scale.place(value)
        }
        return { name, scale, place }
      }),
      (() => {
        const scale = scaleOf(drawn.map(({ value }) => value))
        return { name: metric, scale, place: ({ value }: DrawnMember) => scale.place(value) }
      })(),
    ],
    [parameters, drawn, metric],
  )
  const draw = useCallback(
    ({ context, colour, width, height, font }: Drawing) => {
      const toX = (axis: number) => margin.side + (axis / (axes.length - 1)) * (width - 2 * margin.side)
      const toY = (place: number) => height - margin.bottom - place * (height - margin.top - margin.bottom)
      context.lineWidth = 1
      for (const [rank, line] of lines.entries()) {
        // From the worst to the best.
        const part = lines.length < 2 ? 1 : rank / (lines.length - 1)
        context.strokeStyle = colour(part > 0.9 ? '--series-1' : '--muted')
        context.globalAlpha = part > 0.9 ? 0.9 : (lines.length > fewLines ? 0.12 : 0.4) + 0.3 * part
        context.beginPath()
        for (const [at, { place }] of axes.entries()) {
          const own = place(line)
          // A member of a wave has no value of a key in which it does not differ.
          if (own !== null) context.lineTo(toX(at), toY(own))
        }
        context.stroke()
      }
      context.globalAlpha = 1
      context.font = font
      context.textAlign = 'left'
      for (const [at, { scale }] of axes.entries()) {
        const x = toX(at)
        context.strokeStyle = colour('--line-strong')
        context.beginPath()
        context.moveTo(x, margin.top)
        context.lineTo(x, height - margin.bottom)
        context.stroke()
        context.fillStyle = colour('--muted')
        const space = (at === axes.length - 1 ? margin.side : toX(at + 1) - x) - 6
        for (const tick of scale.ticks)
          context.fillText(cutText(context, tick.text, space), x + 4, toY(tick.at) + 4)
      }
    },
    [lines, axes],
  )
  const canvas = useCanvas(draw)
  return (
    <div className="min-w-0">
      <div aria-hidden className="relative h-5 text-ink text-xs">
        {axes.map(({ name }, at) => (
          <span key={name} title={name} className="absolute truncate" style={placeOfHeading(at, axes.length)}>
            {name}
          </span>
        ))}
      </div>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Parallel coordinates of ${axes.map(({ name }) => name).join(', ')}, ${formatCount(lines.length, 'member')}`}
        className="block h-64 w-full"
      />
      <p className="min-h-5 text-muted text-xs">
        The best tenth is coloured.
        {lines.length < drawn.length
          ? ` ${formatNumber(lines.length)} of ${formatNumber(drawn.length)} lines are drawn, with all of the best.`
          : ''}
      </p>
    </div>
  )
}

/** Above its axis, and not wider than the distance to the next one. The first and the last begin and end with the chart. */
function placeOfHeading(at: number, axes: number): CSSProperties {
  const distance = `(100% - ${2 * margin.side}px) / ${axes - 1}`
  const atEnd = `calc(${margin.side}px + ${distance} / 2 - 4px)`
  if (at === 0) return { left: 0, maxWidth: atEnd }
  if (at === axes - 1) return { right: 0, maxWidth: atEnd }
  return {
    left: `calc(${margin.side}px + ${at} * ${distance})`,
    transform: 'translateX(-50%)',
    maxWidth: `calc(${distance} - 8px)`,
  }
}
