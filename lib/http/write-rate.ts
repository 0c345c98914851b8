import { type Actor, isAdmin } from '../access/actor'
import { SlidingWindows } from '../async/sliding-windows'
import { rateLimited } from '../contract/errors'
import type { Operation } from '../contract/operations/operation'
import { env } from '../env'

const windowMs = 60_000
/** More users than one web server has within two minutes. An entry takes about 200 bytes. */
const maxUsers = 20_000
/** Admins run scripts over all users; terminal input and uploaded directories need many requests. */
const higherFactor = 10

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqWrites?: SlidingWindows }
shared.gpuqWrites ??= new SlidingWindows(windowMs, maxUsers)
const writes = shared.gpuqWrites

/**
 * Counts a request of a user that changes something, with any of the user's credentials. Protects the database against
 * a script that repeats changes without end. What one kind of change costs has limits of its own.
 * @throws 429 over the limit.
 */
export function requireWriteRate(actor: Actor, { frequent }: Pick<Operation, 'frequent'>): void {
  const factor = isAdmin(actor) || frequent ? higherFactor : 1
  const limit = env().GPUQ_WRITES_PER_MINUTE * factor
  // A full terminal must not block a cancel.
  const key = frequent ? `frequent ${actor.userId}` : actor.userId
  const waitS = writes.hit(key, limit, performance.now())
  if (waitS === null) return
  throw rateLimited(
    `You have requested ${limit} changes in the last minute, which is the limit. Try again in ${waitS} seconds, or ask an admin to raise GPUQ_WRITES_PER_MINUTE.`,
    waitS,
  )
}
