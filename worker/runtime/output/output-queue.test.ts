import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { OutputQueue } from './output-queue'

const limits = { high: 1000, trickle: 100, everyMs: 5, most: 3000 }
const piece = Buffer.alloc(100, 'x')

/** A source with `count` pieces, one at a time. */
function sourceOf(count: number): PassThrough {
  const source = new PassThrough({ highWaterMark: 100 })
  const write = (left: number) => {
    if (left === 0) source.end()
    else source.write(piece, () => write(left - 1))
  }
  write(count)
  return source
}

async function total(queue: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const { length } of queue) bytes += length
  return bytes
}

describe('OutputQueue', () => {
  it('returns everything to a reader that keeps up', async () => {
    expect(await total(new OutputQueue(sourceOf(500), limits))).toBe(50_000)
  })

  it('continues to read slowly without a reader, up to its limit, and loses nothing', async () => {
    const source = sourceOf(500)
    let taken = 0
    source.on('data', ({ length }: Buffer) => {
      taken += length
    })
    const queue = new OutputQueue(source, limits)
    await sleep(0)
    const early = taken
    expect(early).toBeLessThan(2000)
    await vi.waitFor(() => expect(taken).toBeGreaterThanOrEqual(limits.most), { timeout: 10_000 })
    // Another one that may hold more reads on at the same pace: meanwhile this one has the time for more.
    const otherSource = sourceOf(500)
    let read = 0
    otherSource.on('data', ({ length }: Buffer) => {
      read += length
    })
    const other = new OutputQueue(otherSource, { ...limits, most: 5 * limits.most })
    await vi.waitFor(() => expect(read).toBeGreaterThanOrEqual(5 * limits.most), { timeout: 30_000 })
    expect(taken).toBeLessThan(limits.most + 2 * limits.trickle + 200)
    expect(await total(queue)).toBe(50_000)
    expect(await total(other)).toBe(50_000)
  })

  it('throws an error only after everything before it', async () => {
    const source = new PassThrough()
    const queue = new OutputQueue(source, limits)
    source.write(piece)
    await sleep(1)
    source.destroy(new Error('reset'))
    const read = queue[Symbol.asyncIterator]()
    expect((await read.next()).value).toEqual(piece)
    await expect(read.next()).rejects.toThrow('reset')
  })

  it('closes the source when its reader leaves', async () => {
    const source = sourceOf(500)
    for await (const _ of new OutputQueue(source, limits)) break
    expect(source.destroyed).toBe(true)
  })
})
