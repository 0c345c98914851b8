import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytesPerTurn, inTurns, OutputReader, outputTurns, ownReader } from './output-reader'

afterEach(() => {
  vi.restoreAllMocks()
})

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
      for await (const _ of inTurns(source(), new OutputReader('leaving', closed.signal), buffers))
        if (++pieces === 3) closed.abort(new Error('the client left'))
    }
    await expect(read()).rejects.toThrow('the client left')
    expect(ended).toBe(true)
  })

  /** Reads sources of so many bytes one after the other with one reader. Returns the number of turns that it took. */
  async function turnsOf(...sources: number[]): Promise<number> {
    const turn = vi.spyOn(outputTurns, 'next').mockClear()
    const reader = ownReader('counted')
    async function* source(bytes: number) {
      yield Buffer.alloc(bytes)
    }
    for (const bytes of sources) for await (const _ of inTurns(source(bytes), reader, buffers));
    return turn.mock.calls.length
  }

  it('gives a turn to each part beyond the first 128 KiB', async () => {
    expect(await turnsOf(bytesPerTurn)).toBe(0)
    expect(await turnsOf(10 * bytesPerTurn)).toBe(9)
  })

  it('counts what one reader reads from several sources, such as the ranks of a job', async () => {
    expect(await turnsOf(...Array.from({ length: 64 }, () => 120 * 1024))).toBe(63)
  })
})
