import { GpuqError } from '../contract/errors'

/** Concurrent uploads per user. Several connections use bandwidth that one cannot. */
const uploadsPerUser = 8

// Next.js loads modules again for each route bundle; this keeps one counter per process.
const shared = globalThis as typeof globalThis & { gpuqUploads?: Map<string, number> }
shared.gpuqUploads ??= new Map()
const open = shared.gpuqUploads

/**
 * Reserves one of a user's upload slots. Returns the function that releases it.
 * @throws 429 if all are in use.
 */
export function acquireUploadSlot(userId: string): () => void {
  const count = open.get(userId) ?? 0
  if (count >= uploadsPerUser)
    throw new GpuqError(
      'rate_limited',
      `You already have ${count} uploads in progress, which is the limit. Wait until one ends.`,
      {
        headers: { 'retry-after': '2' },
      },
    )
  open.set(userId, count + 1)
  return () => {
    const left = (open.get(userId) ?? 1) - 1
    if (left > 0) open.set(userId, left)
    else open.delete(userId)
  }
}
