import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeReplacing, firstInvalidByte, incompleteTail } from './utf8'

/** Bytes that are often almost valid: lead bytes, continuation bytes, complete characters. */
const nearlyUtf8 = fc
  .array(
    fc.oneof(
      fc.constantFrom([0x61], [0xc3, 0xa9], [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x98, 0x80], [0xef, 0xbf, 0xbd]),
      fc.constantFrom([0xe0], [0xed], [0xf0], [0xf4], [0x80], [0x90], [0x9f], [0xa0], [0xbf], [0xc0], [0xff]),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => [...bytes]),
    ),
    { maxLength: 10 },
  )
  .map((parts) => Buffer.from(parts.flat()))

describe('UTF-8 in bytes', () => {
  it('is cut only where a decoder is between two characters', () => {
    fc.assert(
      fc.property(nearlyUtf8, nearlyUtf8, (head, rest) => {
        const cut = head.length - incompleteTail(head)
        const whole = Buffer.concat([head, rest])
        expect(whole.subarray(0, cut).toString() + whole.subarray(cut).toString()).toBe(whole.toString())
      }),
      { numRuns: 3000 },
    )
  })

  it('waits only for what more bytes can complete', () => {
    expect(incompleteTail(Buffer.from([0x61, 0xf0, 0x9f, 0x98]))).toBe(3)
    expect(incompleteTail(Buffer.from([0xe2]))).toBe(1)
    for (const done of ['', 'a', 'é', '😀']) expect(incompleteTail(Buffer.from(done))).toBe(0)
    for (const hopeless of [[0xc0], [0xf5], [0xe0, 0x80], [0xed, 0xa0], [0x80, 0x80]]) {
      expect(incompleteTail(Buffer.from(hopeless))).toBe(0)
    }
  })

  it('is decoded like in browsers, with a count of the replaced bytes', () => {
    const strict = new TextDecoder('utf-8', { ignoreBOM: true })
    fc.assert(
      fc.property(nearlyUtf8, (bytes) => {
        const { text, replaced } = decodeReplacing(bytes)
        expect(text).toBe(strict.decode(bytes))
        expect(replaced === 0).toBe(firstInvalidByte(bytes) === null)
        expect(replaced).toBeLessThanOrEqual(bytes.length)
      }),
      { numRuns: 3000 },
    )
    expect(decodeReplacing(Buffer.from([0xff, 0xe2, 0x82, 0x61, 0xef, 0xbf, 0xbd])).replaced).toBe(3)
  })

  it('reports the position of the first invalid byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => firstInvalidByte(Buffer.from(text)) === null),
    )
    expect(firstInvalidByte(Buffer.from([0x61, 0xc3, 0xa9, 0xff, 0x61]))).toBe(3)
    expect(firstInvalidByte(Buffer.from([0x61, 0xe2, 0x82]))).toBe(1)
  })
})
