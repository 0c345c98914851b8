import { expect, it } from 'vitest'
import { safePaths, visibleText } from './sanitize-text'

it('shows what cannot be seen by its code, and ends', () => {
  expect(visibleText('plots/loss žluť 😀.png', 80)).toBe('plots/loss žluť 😀.png')
  expect(visibleText('a\u202eb\n\x1b[31m\u2028\0', 80)).toBe('a\\u{202e}b\\u{a}\\u{1b}[31m\\u{2028}\\u{0}')
  expect(visibleText('x'.repeat(1000), 10)).toBe(`${'x'.repeat(9)}…`)
  expect(visibleText('\ud800', 80)).toBe('\\u{d800}')
  expect(visibleText(`${'x'.repeat(8)}😀😀`, 10)).toBe(`${'x'.repeat(8)}…`)
})

it("makes names of paths that are relative, can be told apart, and do not stand in each other's way", () => {
  expect(safePaths(['a/b', 'A/B', '../../x', '/etc', 'c:\\x', 'n\ny', 'n_y'])).toEqual([
    'a/b',
    'A/B-2',
    '_/_/x',
    '_/etc',
    'c__x',
    'n_y',
    'n_y-2',
  ])
  expect(safePaths(['aux.log', 'b/NUL', 'v1.', 'a .. /x', '...', 'caf\ufffd', 'caf_', 'console'])).toEqual([
    '_aux.log',
    'b/_NUL',
    'v1_',
    'a____/x',
    '___',
    'caf_',
    'caf_-2',
    'console',
  ])
  const crossed = safePaths(['d\u202e', 'd_/x', 'e_/x', 'e\u202e'])
  expect(crossed).toEqual(['d_', 'd_-2/x', 'e_/x', 'e_-2'])
})
