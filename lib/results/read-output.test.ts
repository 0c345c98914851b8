import { describe, expect, it } from 'vitest'
import { placesOf } from './read-output'

describe('where ranks lie in a file', () => {
  it('is one after the other, from where each was read to', () => {
    expect(placesOf(100, [10, 0, 5], [])).toEqual([
      { rank: 0, from: 100, to: 110 },
      { rank: 2, from: 110, to: 115 },
    ])
    expect(placesOf(100, [10, 4, 5], [10, 1])).toEqual([
      { rank: 1, from: 111, to: 114 },
      { rank: 2, from: 114, to: 119 },
    ])
  })

  it('is nowhere for who has read all, or says more', () => {
    expect(placesOf(100, [10, 4], [10, 999])).toEqual([])
    expect(placesOf(100, [], [])).toEqual([])
  })
})
