import { describe, expect, it } from 'vitest'
import { rangesOf } from './read-output'

describe('the positions of ranks in a file', () => {
  it('follow each other, each from the offset of its reader', () => {
    expect(rangesOf(100, [10, 0, 5], [])).toEqual([
      { rank: 0, from: 100, to: 110 },
      { rank: 2, from: 110, to: 115 },
    ])
    expect(rangesOf(100, [10, 4, 5], [10, 1])).toEqual([
      { rank: 1, from: 111, to: 114 },
      { rank: 2, from: 114, to: 119 },
    ])
  })

  it('are empty for a reader that has read everything, or claims more', () => {
    expect(rangesOf(100, [10, 4], [10, 999])).toEqual([])
    expect(rangesOf(100, [], [])).toEqual([])
  })
})
