import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance, nearestKey } from './names'
import { configKeys } from './schema'

describe('the distance of two words', () => {
  it.each([
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'abd', 1],
    ['abc', 'ab', 1],
    ['kitten', 'sitting', 3],
  ])('from %j to %j is %d', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance)
    expect(editDistance(to, from)).toBe(distance)
  })

  it('is never more than the longer word, nor less than the difference of lengths', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (from, to) => {
        const distance = editDistance(from, to)
        expect(distance).toBeLessThanOrEqual(Math.max(from.length, to.length))
        expect(distance).toBeGreaterThanOrEqual(Math.abs(from.length - to.length))
        expect(distance === 0).toBe(from === to)
      }),
    )
  })
})

describe('the key that was meant', () => {
  it('is found one slip away, for every key', () => {
    const bare = (word: string | null) => word?.replaceAll('_', '') ?? ''
    for (const key of configKeys) {
      for (let place = 0; place < key.length; place++) {
        const dropped = key.slice(0, place) + key.slice(place + 1)
        if (bare(dropped).length <= 2) continue
        expect(editDistance(bare(nearestKey(dropped, configKeys)), bare(dropped))).toBeLessThanOrEqual(1)
      }
    }
  })

  it.each(['learning_rate', 'x', 'batch_size', '', 'gpuq_Zx81kQ', 'a\nb', 'e'.repeat(1000)])(
    'is not guessed for %j',
    (key) => {
      expect(nearestKey(key, configKeys)).toBeNull()
    },
  )
})
