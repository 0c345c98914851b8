import { type Release, SlotQueue } from '../../async/slot-queue'
import { timeLimit } from '../../async/time-limit'
import { rateLimited } from '../../contract/errors'
import type { OutputReader } from './output-reader'
import { outputBytes } from './read-output'

const limits = { perOwner: 4, inAll: 256, waitingPerOwner: 64, waitingInAll: 1024 }
const retryAfterS = 5
/** The answers in progress may be downloads that their clients do not take. */
const longestWaitMs = 30_000

// Next.js loads modules again for each route bundle; slots are shared by the whole process.
const shared = globalThis as typeof globalThis & { gpuqOutputSlots?: SlotQueue }
shared.gpuqOutputSlots ??= new SlotQueue(limits)
const slots = shared.gpuqOutputSlots

/** An output up to this size is read like any other answer: without a slot. */
const shortBytes = 256 * 1024

/**
 * Waits until the reader may read the output of a job. Call it before everything else that is read, so that many requests
 * cost little while they wait. Returns the function that ends the reading, which also ends with the reader's signal. Null: the
 * output is short or not wanted, and needs no slot.
 * @throws 429 if too many reads wait, or if none of the owner ends for some time; the reason of the signal if the client has left.
 */
export async function startReading(reader: OutputReader, jobId: string): Promise<Release | null> {
  const { owner, signal, headersOnly } = reader
  if (headersOnly || (await outputBytes(jobId)) <= shortBytes) return null
  const release = await slots.enter(owner, timeLimit(longestWaitMs, signal)).catch(() => null)
  if (signal.aborted) {
    release?.()
    throw signal.reason
  }
  if (!release) {
    throw rateLimited(
      `Too many long outputs are being read at the moment: at most ${limits.perOwner} for one user, or for the links of one user. End other downloads, or try again in ${retryAfterS} seconds.`,
      retryAfterS,
    )
  }
  signal.addEventListener('abort', release, { once: true })
  return release
}

/** Compressing is more work than reading, and happens outside of turns. */
const mostCompressed = 2

/** The headers of an answer that has a slot: if many are sent, the web server does not compress this one. */
export function cachingOfOutput(): { 'cache-control': string } {
  return { 'cache-control': slots.taken > mostCompressed ? 'no-store, no-transform' : 'no-store' }
}
