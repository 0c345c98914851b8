import { expect, it } from 'vitest'
import { jumpLabel } from './jump-label'

it.each([
  [true, 0, 'Jump to end'],
  [true, 1, '1 new line'],
  [true, 1200, '1,200 new lines'],
  [false, 0, 'Jump to end'],
  [false, 1200, 'Jump to end'],
])('live: %s, %i new lines: "%s"', (live, lines, message) => {
  expect(jumpLabel(live, lines)).toBe(message)
})
