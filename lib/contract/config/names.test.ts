import levenshtein from 'damerau-levenshtein'
import { describe, expect, it } from 'vitest'
import { nearestKey } from './names'
import { configKeys } from './schema'

describe('the key that was meant', () => {
  it('is found one slip away, for every key', () => {
    const bare = (word: string | null) => word?.replaceAll('_', '') ?? ''
    for (const key of configKeys) {
      for (let place = 0; place < key.length; place++) {
        const dropped = key.slice(0, place) + key.slice(place + 1)
        if (bare(dropped).length <= 2) continue
        expect(levenshtein(bare(nearestKey(dropped, configKeys)), bare(dropped)).steps).toBeLessThanOrEqual(1)
      }
    }
  })

  it.each([
    ['tokne', 'token'],
    ['nmae', 'name'],
    ['gpucuont', 'gpu_count'],
  ])('is found for swapped neighbours in %s: %s', (key, meant) => {
    expect(nearestKey(key, configKeys)).toBe(meant)
  })

  it.each(['learning_rate', 'x', 'batch_size', '', 'gpuq_Zx81kQ', 'a\nb', 'e'.repeat(1000)])(
    'is not guessed for %j',
    (key) => {
      expect(nearestKey(key, configKeys)).toBeNull()
    },
  )
})
