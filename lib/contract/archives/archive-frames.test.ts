import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frameHeader, readFrames } from './archive-frames'

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const toFrame = (content: Uint8Array) =>
  Buffer.concat([frameHeader(sha256(content), content.length), content])

/** The same bytes in pieces that end wherever they end. */
async function* inPieces(bytes: Buffer, sizes: number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function readAll(source: AsyncIterable<Uint8Array>) {
  const found = []
  for await (const { sha256: name, bytes, content } of readFrames(source)) {
    const pieces = []
    for await (const piece of content) pieces.push(piece)
    found.push({ name, bytes, content: Buffer.concat(pieces) })
  }
  return found
}

const contents = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 })
const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 })

describe('frames', () => {
  it('come out as they went in, wherever the stream is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(contents, sizes, async (given, cut) => {
        const found = await readAll(inPieces(Buffer.concat(given.map(toFrame)), cut))
        expect(found).toEqual(
          given.map((content) => ({
            name: sha256(content),
            bytes: content.length,
            content: Buffer.from(content),
          })),
        )
      }),
    )
  })

  it('frames that end too early are an error, never a shorter content', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.nat(),
        sizes,
        async (content, at, cut) => {
          const frame = toFrame(content)
          const short = frame.subarray(0, 1 + (at % (frame.length - 1)))
          await expect(readAll(inPieces(short, cut))).rejects.toMatchObject({ code: 'invalid_request' })
        },
      ),
    )
  })
})
