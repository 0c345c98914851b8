import { describe, expect, it } from 'vitest'
import { checkKey } from '../storage/store'
import { resultFileName, resultKey } from './name'

describe("a result's name", () => {
  it('contains user, competition and time, and is a valid key', () => {
    const name = resultFileName('ada', 'cifar10', new Date('2026-11-20T22:36:00.123Z'))
    expect(name).toBe('ada_cifar10_20261120T223600.123Z.jsonl')
    expect(checkKey(resultKey(name))).toBe(`results/${name}`)
    const longest = resultFileName('x'.repeat(64), 'y'.repeat(64), new Date(0))
    expect(checkKey(resultKey(longest))).toContain(longest)
  })

  it.each(['', '../x', 'a/b', '.hidden', 'a\0', 'x'.repeat(65)])('is never built from the id %j', (id) => {
    expect(() => resultFileName(id, 'c', new Date(0))).toThrow()
    expect(() => resultFileName('u', id, new Date(0))).toThrow()
  })
})
