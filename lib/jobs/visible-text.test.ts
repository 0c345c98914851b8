import { expect, it } from 'vitest'
import { visibleText } from './visible-text'

it('shows what cannot be seen by its code, and ends', () => {
  expect(visibleText('plots/loss žluť 😀.png', 80)).toBe('plots/loss žluť 😀.png')
  expect(visibleText('a\u202eb\n\x1b[31m\u2028\0', 80)).toBe('a\\u{202e}b\\u{a}\\u{1b}[31m\\u{2028}\\u{0}')
  expect(visibleText('x'.repeat(1000), 10)).toBe(`${'x'.repeat(9)}…`)
  expect(visibleText('\ud800', 80)).toBe('\\u{d800}')
  expect(visibleText(`${'x'.repeat(8)}😀😀`, 10)).toBe(`${'x'.repeat(8)}…`)
})
