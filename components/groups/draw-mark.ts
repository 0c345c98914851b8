import type { MemberStatus } from './member-status'
import { memberStatuses } from './member-status'
import type { Drawing } from './use-canvas'

const colours = new Map<MemberStatus, string>(memberStatuses.map(({ status, colour }) => [status, colour]))
/** A smaller square has no space for what its form says. */
const detailed = 6

/** Draws the square of a member. Each status has a form of its own, so that the colours are not needed. */
export function drawMark(
  { context, colour }: Pick<Drawing, 'context' | 'colour'>,
  status: MemberStatus,
  { x, y, size }: { x: number; y: number; size: number },
): void {
  const ink = colour(colours.get(status) ?? '--edge')
  const line = (fromX: number, fromY: number, toX: number, toY: number) => {
    context.beginPath()
    context.moveTo(x + fromX * size, y + fromY * size)
    context.lineTo(x + toX * size, y + toY * size)
    context.stroke()
  }
  context.fillStyle = ink
  context.strokeStyle = ink
  context.lineWidth = size < detailed ? 1 : Math.max(1, size / 9)
  const inner = (part: number) =>
    context.fillRect(x + (size * (1 - part)) / 2, y + (size * (1 - part)) / 2, size * part, size * part)
  switch (status) {
    case 'held':
      inner(0.35)
      break
    case 'paused':
      context.fillRect(x, y, size, size)
      context.fillStyle = colour('--surface')
      for (const from of [0.2, 0.6]) context.fillRect(x + from * size, y + 0.2 * size, 0.2 * size, 0.6 * size)
      break
    case 'pending':
      context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1)
      break
    case 'cancelled':
      context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1)
      line(0, 1, 1, 0)
      break
    default:
      context.fillRect(x, y, size, size)
      context.fillStyle = colour('--surface')
      context.strokeStyle = colour('--surface')
      if (status === 'running') inner(0.4)
      if (status === 'failed') {
        line(0.2, 0.2, 0.8, 0.8)
        if (size >= detailed) line(0.8, 0.2, 0.2, 0.8)
      }
  }
}
