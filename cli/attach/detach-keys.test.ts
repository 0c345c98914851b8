import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DetachKeys, parseEscapeKey } from './detach-keys'

const screens = parseEscapeKey('^a')

/** The input that the program receives when keys arrive in these pieces, until the user detaches. */
function typed(...pieces: string[]) {
  const keys = new DetachKeys(screens)
  let input = ''
  for (const piece of pieces) {
    const found = keys.push(Buffer.from(piece))
    input += found.input.toString()
    if (found.detached) return { input, detached: true }
  }
  return { input, detached: false }
}

describe('DetachKeys', () => {
  it.each([
    [['ls\r\u0001d'], 'ls\r', true],
    [['ls', '\u0001', 'd', 'never'], 'ls', true],
    [['\u0001\u0004'], '', true],
    [['\u0001ad'], '\u0001d', false],
    [['\u0001\u0001d'], '\u0001d', false],
    [['\u0001', 'x\u0001', 'é'], '\u0001x\u0001é', false],
    [['d\u0004'], 'd\u0004', false],
  ])('%j', (pieces, input, detached) => {
    expect(typed(...pieces)).toEqual({ input, detached })
  })

  it('passes input without an escape key through unchanged, however it is split', () => {
    const plain = fc.uint8Array().map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 1)))
    fc.assert(
      fc.property(fc.array(plain), (pieces) => {
        const keys = new DetachKeys(screens)
        const found = pieces.map((piece) => keys.push(piece))
        expect(Buffer.concat(found.map(({ input }) => input)).equals(Buffer.concat(pieces))).toBe(true)
        expect(found.every(({ detached }) => !detached)).toBe(true)
      }),
    )
  })
})

it('parses escape keys in the usual notations and rejects keys that end a line', () => {
  expect(['^b', 'ctrl-b', 'C-B'].map(parseEscapeKey)).toEqual(Array(3).fill({ byte: 2, name: 'Ctrl-B' }))
  for (const wrong of ['b', '^', '^m', 'ctrl-j', '^ab', ''])
    expect(() => parseEscapeKey(wrong)).toThrow(/Ctrl/)
})

it('passes every key to the program without an escape key', () => {
  const keys = new DetachKeys(parseEscapeKey('none'))
  const bytes = Buffer.from([0x01, 0x64, 0x02, 0x64])
  expect(keys.push(bytes)).toEqual({ input: bytes, detached: false })
})
