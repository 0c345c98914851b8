import levenshtein from 'damerau-levenshtein'
import { describe, expect, it } from 'vitest'
import { queueSubmitSchema } from '../queue'
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

  it.each([
    ['gpu', 'gpu_count'],
    ['gpus', 'gpu_count'],
    ['num_gpus', 'gpu_count'],
    ['ngpus', 'gpu_count'],
    ['memory', 'memory_gb'],
    ['timeout', 'max_time'],
    ['wall-time', 'max_time'],
    ['cpus', 'cpu'],
    ['cores', 'cpu'],
    ['nodes', 'instance_count'],
    ['image', 'environment'],
    ['GPU Memory', 'gpu_memory_gb'],
    ['cmd', 'command'],
  ])('is found by its meaning for %s: %s', (key, meant) => {
    expect(nearestKey(key, configKeys)).toBe(meant)
  })

  it('is one of the keys that the reader knows', () => {
    const known = Object.keys(queueSubmitSchema.shape)
    expect(nearestKey('duration', known)).toBe('estimated_duration_seconds')
    expect(nearestKey('username', known)).toBeNull()
  })

  it.each(['learning_rate', 'x', 'batch_size', '', 'gpuq_Zx81kQ', 'a\nb', 'e'.repeat(1000)])(
    'is not guessed for %j',
    (key) => {
      expect(nearestKey(key, configKeys)).toBeNull()
    },
  )
})
