import { expect, it } from 'vitest'
import { safePaths, visibleText } from './sanitize-text'

it('shows what cannot be seen by its code, and ends', () => {
  expect(visibleText('plots/loss žluť 😀.png', 80)).toBe('plots/loss žluť 😀.png')
  expect(visibleText('a\u202eb\n\x1b[31m\u2028\0', 80)).toBe('a\\u{202e}b\\u{a}\\u{1b}[31m\\u{2028}\\u{0}')
  expect(visibleText('x'.repeat(1000), 10)).toBe(`${'x'.repeat(9)}…`)
  expect(visibleText('\ud800', 80)).toBe('\\u{d800}')
  expect(visibleText(`${'x'.repeat(8)}😀😀`, 10)).toBe(`${'x'.repeat(8)}…`)
})

it('keeps the names that a disk can hold as the job wrote them', () => {
  const long = `run_model=resnet50_${'lr=0.001_'.repeat(20)}.csv`
  const names = [
    'epoch:3.ckpt',
    'what?.txt',
    'A/b',
    'a/b',
    'a.txt',
    'A.txt',
    'v1.',
    'aux.log',
    '...',
    long,
    'caf\u00e9',
    'cafe\u0301',
  ]
  expect(safePaths(names)).toEqual(names)
})

it('makes names of paths that are relative and can be told apart, and a real name keeps its place', () => {
  expect(
    safePaths(['a/b', '../../x', '/etc', 'c:\\x', 'n\ny', 'n_y', 'same', 'same', 'caf\ufffd', '', '.']),
  ).toEqual(['a/b', '_/_/x', '_/etc', 'c:_x', 'n_y-2', 'n_y', 'same', 'same-2', 'caf_', '_-2', '_-3'])
  const crossed = safePaths(['d\u202e', 'd_/x', 'e_/x', 'e\u202e'])
  expect(crossed).toEqual(['d_-2', 'd_/x', 'e_/x', 'e_-2'])
})

it('changes more names for Windows', () => {
  expect(
    safePaths(
      ['aux.log', 'b/NUL', 'v1.', 'a .. /x', '...', 'epoch:3.ckpt', 'epoch_3.ckpt', 'what?', 'console'],
      true,
    ),
  ).toEqual([
    '_aux.log',
    'b/_NUL',
    'v1_',
    'a____/x',
    '___',
    'epoch_3.ckpt-2',
    'epoch_3.ckpt',
    'what_',
    'console',
  ])
})

it('keeps the end of a name that no disk can hold', () => {
  const [name = ''] = safePaths([`${'\u017e'.repeat(200)}.csv`])
  expect(name).toMatch(/^\u017e+\.csv$/)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240)
})
