import { describe, expect, it } from 'vitest'
import { maxDetailBytes, shortenDetail } from './audit-detail'

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('the detail of an audit event', () => {
  it('stays as it is while it is short', () => {
    const detail = { name: 'x', limits: { a: 1, b: null }, members: ['ada', 'bob'] }
    expect(shortenDetail(detail)).toEqual(detail)
  })

  it('loses the ends of its texts and lists, and says so', () => {
    const members = Array.from({ length: 2000 }, (_, n) => `member-${n}`)
    const shorter = shortenDetail({ id: 'p', members, text: 'y'.repeat(10_000) })
    expect(shorter).toMatchObject({ id: 'p', shortened: true, members: expect.arrayContaining(['member-0']) })
    expect(shorter.members).toContain('… and 1950 more')
    expect(shorter.text).toBe(`${'y'.repeat(500)}…`)
    expect(bytesOf(shorter)).toBeLessThanOrEqual(maxDetailBytes)
  })

  it.each([
    ['many keys', Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key-${n}`, n]))],
    ['a long key', { ['k'.repeat(100_000)]: 1 }],
    ['characters that JSON escapes', { text: '\u0001'.repeat(50_000) }],
    ['characters outside of the first plane, cut in the middle', { text: `a${'😀'.repeat(9000)}` }],
    [
      'lists in lists',
      { deep: Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => 'z'.repeat(60))) },
    ],
    ['a text and half of a pair', { text: `\ud800${'x'.repeat(9000)}` }],
  ])('is bounded for %s', (_, detail) => {
    const shorter = shortenDetail(detail)
    expect(shorter.shortened).toBe(true)
    expect(bytesOf(shorter)).toBeLessThanOrEqual(maxDetailBytes)
    expect(JSON.stringify(shorter)).not.toMatch(/\\ud[89ab]/)
  })
})
