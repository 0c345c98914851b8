import { describe, expect, it } from 'vitest'
import { GpuqError } from '../contract/errors'
import { cutPage, decodeCursor, decodeTimeCursor, encodeCursor } from './pagination'

const id = '01900000-0000-7000-8000-000000000000'

function refusal(decode: () => unknown): GpuqError {
  try {
    decode()
  } catch (error) {
    if (error instanceof GpuqError) return error
  }
  throw new Error('was not refused')
}

describe('a cursor', () => {
  it('comes back as it went', () => {
    const values = ['2026-01-01T00:00:00.000Z', 'a"b\\ü']
    expect(decodeCursor(encodeCursor(values), 2)).toEqual(values)
  })

  it.each([
    ['nothing', ''],
    ['nonsense', '%%%'],
    ['no array', Buffer.from('{"a":1}').toString('base64url')],
    ['another length', encodeCursor(['a'])],
    ['numbers', Buffer.from('[1,2]').toString('base64url')],
    ['NUL', encodeCursor(['a\0', 'b'])],
  ])('is refused with 400 when it holds %s', (_what, text) => {
    expect(refusal(() => decodeCursor(text, 2)).status).toBe(400)
  })

  it('a cursor of time and id holds both, or is refused before it reaches the database', () => {
    const at = '2026-01-01T00:00:00.123Z'
    expect(decodeTimeCursor(encodeCursor([at, id]))).toEqual({ at, id })
    expect(decodeTimeCursor(undefined)).toEqual({ at: null, id: null })
    expect(refusal(() => decodeTimeCursor(encodeCursor([at, 'x']))).status).toBe(400)
    expect(refusal(() => decodeTimeCursor(encodeCursor(["now()'; --", id]))).status).toBe(400)
  })
})

describe('a page', () => {
  const keyOf = (row: number) => [String(row)]

  it('leads on only when there are more rows than it shows', () => {
    expect(cutPage([1, 2, 3], 2, keyOf, String)).toEqual({ items: ['1', '2'], next: encodeCursor(['2']) })
    expect(cutPage([1, 2], 2, keyOf, String).next).toBeNull()
    expect(cutPage([], 2, keyOf, String)).toEqual({ items: [], next: null })
  })
})
