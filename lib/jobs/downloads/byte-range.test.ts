import { expect, it } from 'vitest'
import { parseRange } from './byte-range'

it.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=2-', { start: 2, end: 9 }],
  ['bytes=2-100', { start: 2, end: 9 }],
  ['BYTES=2 - 4', { start: 2, end: 4 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-100', { start: 0, end: 9 }],
  ['bytes=9-', { start: 9, end: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  [null, 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=4-2', 'whole'],
  ['bytes=0-1,3-4', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=0x1-2', 'whole'],
  ['bytes=1e3-', 'whole'],
  [`bytes=${'9'.repeat(400)}-`, 'whole'],
] as const)('%s of 10 bytes is %o', (header, expected) => {
  expect(parseRange(header, 10)).toEqual(expected)
})

it('has no part of an empty file', () => {
  for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1'])
    expect(parseRange(header, 0)).toBe('unsatisfiable')
})
