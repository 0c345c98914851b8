import { describe, expect, it } from 'vitest'
import { formatLineHash, parseLineHash } from './line-hash'

describe('parseLineHash', () => {
  it.each([
    ['#L12', { from: 11, to: 11 }],
    ['#L12-L20', { from: 11, to: 19 }],
    ['#L20-12', { from: 11, to: 19 }],
    ['#L0', null],
    ['#L', null],
    ['#L1e3', null],
    ['#L99999999999', null],
    ['#top', null],
    ['', null],
  ])('%s', (hash, range) => {
    expect(parseLineHash(hash)).toEqual(range)
  })
})

it.each(['#L1', '#L12-L20'])('writes %s as it was read', (hash) => {
  const range = parseLineHash(hash)
  expect(range && formatLineHash(range)).toBe(hash)
})
