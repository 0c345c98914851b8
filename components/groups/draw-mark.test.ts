import { expect, it } from 'vitest'
import { drawMark } from './draw-mark'
import { memberStatuses } from './member-status'

/** What is drawn for a status, without its colours. */
function shapeOf(status: (typeof memberStatuses)[number]['status'], size: number): string {
  const drawn: unknown[] = []
  const context = new Proxy({} as CanvasRenderingContext2D, {
    get:
      (_, name) =>
      (...values: unknown[]) =>
        drawn.push([name, ...values]),
    set: () => true,
  })
  drawMark({ context, colour: (variable) => variable }, status, { x: 0, y: 0, size })
  return JSON.stringify(drawn)
}

it.each([18, 8])('each status of a member has a form of its own in a square of %i pixels', (size) => {
  const shapes = memberStatuses.map(({ status }) => shapeOf(status, size))
  expect(new Set(shapes).size).toBe(memberStatuses.length)
})

it('the square of a paused member has the whole width, so that neighbours do not merge', () => {
  expect(shapeOf('paused', 10)).toContain('["fillRect",0,0,10,10]')
})
