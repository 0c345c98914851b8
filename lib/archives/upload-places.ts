import { GpuqError } from '../contract/errors'

/** Uploads of one user at a time: what one connection cannot fill, a few can. */
const uploadsPerUser = 8

// Next.js loads modules anew for each route bundle; the count is kept once a process.
const shared = globalThis as typeof globalThis & { gpuqUploads?: Map<string, number> }
shared.gpuqUploads ??= new Map()
const open = shared.gpuqUploads

/** Takes one of a user's places, and returns how to give it back. @throws 429 when all are taken. */
export function takeUpload(userId: string): () => void {
  const count = open.get(userId) ?? 0
  if (count >= uploadsPerUser)
    throw new GpuqError('rate_limited', `You have ${count} uploads under way, which is the most.`, {
      headers: { 'retry-after': '2' },
    })
  open.set(userId, count + 1)
  return () => {
    const left = (open.get(userId) ?? 1) - 1
    if (left > 0) open.set(userId, left)
    else open.delete(userId)
  }
}
