import { describe, expect, it } from 'vitest'
import { GpuqError } from '../contract/errors'
import { UnauthenticatedUploads } from './unauthenticated-uploads'

const limits = {
  perAddress: { running: 2, waiting: 1 },
  inTotal: { running: 3, waiting: 1 },
  bufferedBytes: 100,
}
const from = (address: string) => new Headers({ 'x-forwarded-for': address })

/** Starts uploads that end on request. Each returns its result, or the status of its refusal. */
function startUploads(uploads: UnauthenticatedUploads) {
  const ends: (() => void)[] = []
  const start = async (address: string, bytes = 0): Promise<string | number> => {
    try {
      return await uploads.run(from(address), async (takeBytes) => {
        takeBytes(bytes)
        await new Promise<void>((end) => ends.push(end))
        return 'read'
      })
    } catch (error) {
      if (!(error instanceof GpuqError)) throw error
      expect(error.headers['retry-after']).toBe('5')
      return error.status
    }
  }
  const endAll = async () => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { start, endAll, running: () => ends.length }
}

describe('uploads without credentials', () => {
  it('uploads without credentials of one address run a few at a time, wait in a short queue, and are refused beyond it', async () => {
    const { start, endAll, running } = startUploads(new UnauthenticatedUploads(limits))
    const three = [start('a'), start('a'), start('a')]
    expect(await start('a')).toBe(429)
    expect(running()).toBe(2)
    await endAll()
    expect(await Promise.all(three)).toEqual(['read', 'read', 'read'])
    const again = start('a')
    await endAll()
    expect(await again).toBe('read')
  })

  it('uploads without credentials of all addresses together are limited too', async () => {
    const { start, endAll } = startUploads(new UnauthenticatedUploads(limits))
    const four = ['a', 'b', 'c', 'd'].map((address) => start(address))
    expect(await start('e')).toBe(503)
    await endAll()
    expect(await Promise.all(four)).toEqual(['read', 'read', 'read', 'read'])
  })

  it('share a limited memory, and release what they took', async () => {
    const { start, endAll } = startUploads(new UnauthenticatedUploads(limits))
    const first = start('a', 60)
    expect(await start('b', 60)).toBe(503)
    await endAll()
    expect(await first).toBe('read')
    const second = start('b', 60)
    await endAll()
    expect(await second).toBe('read')
  })
})
