import { expect, it } from 'vitest'
import { cutText } from './cut-text'

/** Each character has a width of 10. */
const context = { measureText: (text: string) => ({ width: 10 * text.length }) as TextMetrics }

it('a text that is too wide for its place is cut, and one that fits is not', () => {
  expect(cutText(context, 'learning_rate', 60)).toBe('learn…')
  expect(cutText(context, 'lr', 20)).toBe('lr')
  expect(cutText(context, 'learning_rate', 5)).toBe('…')
})
