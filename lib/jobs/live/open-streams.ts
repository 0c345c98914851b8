import { GpuqError } from '../../contract/errors'

/** Open streams of one user: enough for many tabs, too few to fill the server up. */
const streamsPerUser = 32

// Next.js loads modules anew for each route bundle; the count is kept once a process.
const shared = globalThis as typeof globalThis & { gpuqStreams?: Map<string, number> }
shared.gpuqStreams ??= new Map()
const open = shared.gpuqStreams

/**
 * Takes one of a user's places for a live stream. Returns how to give it back.
 * @throws 429 when all of them are taken.
 */
export function takeStream(userId: string): () => void {
  const count = open.get(userId) ?? 0
  if (count >= streamsPerUser) {
    throw new GpuqError(
      'rate_limited',
      `You have ${count} live pages open, which is the most. Close some of them.`,
      { headers: { 'retry-after': '10' } },
    )
  }
  open.set(userId, count + 1)
  let given = false
  return () => {
    if (given) return
    given = true
    const left = (open.get(userId) ?? 1) - 1
    if (left > 0) open.set(userId, left)
    else open.delete(userId)
  }
}
