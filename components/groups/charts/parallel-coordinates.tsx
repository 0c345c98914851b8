import { useCallback, useMemo } from 'react'
import type { GroupDetail } from '@/lib/groups/contract'
import { formatCount, formatNumber } from '../../ui/format-number'
import { type Drawing, useCanvas } from '../use-canvas'
import { chooseLines, type DrawnMember, prefersSmall, valuesOf } from './drawn-members'
import { scaleOf } from './scale'

interface ParallelCoordinatesProps {
  group: GroupDetail
  drawn: readonly DrawnMember[]
  metric: string
}

const margin = { side: 40, top: 24, bottom: 12 }

/** An axis for each parameter and one for the metric; a line for each member, the better ones darker and on top. The table has the same as text. */
export function ParallelCoordinates({ group, drawn, metric }: ParallelCoordinatesProps) {
  const small = prefersSmall(group)
  const lines = useMemo(() => chooseLines(drawn, small), [drawn, small])
  const axes = useMemo(
    () => [
      ...group.parameters.map((name) => {
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
    [group.parameters, drawn, metric],
  )
  const draw = useCallback(
    ({ context, colour, width, height, font }: Drawing) => {
      const toX = (axis: number) => margin.side + (axis / (axes.length - 1)) * (width - 2 * margin.side)
      const toY = (place: number) => height - margin.bottom - place * (height - margin.top - margin.bottom)
      context.lineWidth = 1
      for (const [rank, line] of lines.entries()) {
        // From the worst to the best.
        const part = lines.length < 2 ? 1 : rank / (lines.length - 1)
        context.strokeStyle = colour(part > 0.9 ? '--series-1' : '--edge')
        context.globalAlpha = part > 0.9 ? 0.9 : 0.1 + 0.3 * part
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
      for (const [at, { name, scale }] of axes.entries()) {
        const x = toX(at)
        context.strokeStyle = colour('--line-strong')
        context.beginPath()
        context.moveTo(x, margin.top)
        context.lineTo(x, height - margin.bottom)
        context.stroke()
        context.textAlign = at === 0 ? 'left' : at === axes.length - 1 ? 'right' : 'center'
        context.fillStyle = colour('--ink')
        context.fillText(name, at === 0 ? 4 : at === axes.length - 1 ? width - 4 : x, 14, width / axes.length)
        context.textAlign = 'left'
        context.fillStyle = colour('--muted')
        for (const tick of scale.ticks)
          context.fillText(
            tick.text,
            Math.min(x + 4, width - margin.side + 4),
            toY(tick.at) + 4,
            margin.side - 6,
          )
      }
    },
    [lines, axes],
  )
  const canvas = useCanvas(draw)
  return (
    <div className="min-w-0">
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
