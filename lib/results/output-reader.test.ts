import { describe, expect, it } from 'vitest'
import { bytesPerTurn, cachingOfOutput, inTurns, ownReader, startReading } from './output-reader'

const buffers = {
  size: (piece: Buffer) => piece.length,
  slice: (piece: Buffer, from: number, to: number) => piece.subarray(from, to),
}

describe('reading output in turns', () => {
  it('gives all bytes in order, in pieces of one turn', async () => {
    const bytes = Buffer.from(Array.from({ length: 3 * bytesPerTurn + 7 }, (_, at) => at % 251))
    async function* source() {
      yield bytes
      yield Buffer.from('end')
    }
    const pieces: Buffer[] = []
    for await (const piece of inTurns(source(), ownReader('someone'), buffers)) pieces.push(piece)
    expect(Buffer.concat(pieces).equals(Buffer.concat([bytes, Buffer.from('end')]))).toBe(true)
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(bytesPerTurn)
  })

  it('ends with its request, and closes what it reads', async () => {
    const closed = new AbortController()
    let ended = false
    async function* source() {
      try {
        for (;;) yield Buffer.alloc(bytesPerTurn)
      } finally {
        ended = true
      }
    }
    const read = async () => {
      let pieces = 0
      for await (const _ of inTurns(source(), { owner: 'leaving', signal: closed.signal }, buffers))
        if (++pieces === 3) closed.abort(new Error('the client left'))
    }
    await expect(read()).rejects.toThrow('the client left')
    expect(ended).toBe(true)
  })
})

describe('slots for long output', () => {
  it('are refused with 429 if too many of one user wait, and others have theirs', async () => {
    const leaving = new AbortController()
    const reader = { owner: 'greedy', signal: leaving.signal }
    const waiting = Array.from({ length: 100 }, () => startReading(reader))
    const refused = await Promise.race(waiting.slice(68)).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('At most 4 of a user'),
    })
    ;(await startReading(ownReader('modest')))()
    leaving.abort()
    await Promise.allSettled(waiting)
    // All four are free again.
    const free = await Promise.all(Array.from({ length: 4 }, () => startReading(ownReader('greedy'))))
    for (const release of free) release()
  })

  it('are not needed for headers, and a reader that has left gets none', async () => {
    for (let request = 0; request < 10; request++)
      await startReading({ ...ownReader('head'), headersOnly: true })
    await expect(startReading({ owner: 'gone', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('let only a few answers be compressed at the same time', async () => {
    const releases = []
    for (let reader = 0; reader < 3; reader++)
      releases.push(await startReading(ownReader(`reader ${reader}`)))
    expect(cachingOfOutput()['cache-control']).toBe('no-store, no-transform')
    for (const release of releases) release()
    expect(cachingOfOutput()['cache-control']).toBe('no-store')
  })
})
