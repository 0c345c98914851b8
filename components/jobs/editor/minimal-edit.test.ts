import fc from 'fast-check'
import { expect, it } from 'vitest'
import { minimalEdit } from './minimal-edit'

it('replaces only what differs', () => {
  expect(minimalEdit('a: 1\nb: 2\n', 'a: 10\nb: 2\n')).toEqual({ from: 4, to: 4, insert: '0' })
  expect(minimalEdit('aaa', 'aa')).toEqual({ from: 2, to: 3, insert: '' })
  expect(minimalEdit('same', 'same')).toEqual({ from: 4, to: 4, insert: '' })
})

it('always produces the new text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { from, to, insert } = minimalEdit(before, after)
      expect(before.slice(0, from) + insert + before.slice(to)).toBe(after)
    }),
  )
})
