import { type Release, SlotQueue } from '../async/slot-queue'
import { timeLimit } from '../async/time-limit'
import { Turns } from '../async/turns'
import { rateLimited, unavailable } from '../contract/errors'

/** Who reads output, and until when. */
export interface OutputReader {
  /** A user, or all who read by links of a user. Its readers share slots and turns. */
  owner: string
  /** Aborted when the answer is no longer wanted. */
  signal: AbortSignal
  /** Nobody reads the body of the answer: the request is HEAD. */
  headersOnly?: boolean
}

const limits = { perOwner: 4, inAll: 256, waitingPerOwner: 64, waitingInAll: 1024 }
const retryAfterS = 5
/** The answers in progress may be downloads that their clients do not take. */
const longestWaitMs = 30_000

// Next.js loads modules again for each route bundle; slots and turns are shared by the whole process.
const shared = globalThis as typeof globalThis & {
  gpuqOutput?: { slots: SlotQueue; turns: Turns }
}
shared.gpuqOutput ??= { slots: new SlotQueue(limits), turns: new Turns() }
const { slots, turns } = shared.gpuqOutput

/** Reads for gpuq itself, which nobody cancels. */
export const ownReader = (owner: string): OutputReader => ({ owner, signal: new AbortController().signal })

/** An output up to this size is read like any other answer: without a slot. */
export const shortBytes = 256 * 1024

/**
 * Waits until the reader may read a long output. Returns the function that ends this. It also ends with the reader's signal.
 * @throws 429 if too many reads of the owner wait, or if none of them ends for some time; 503 if the client has left.
 */
export async function startReading({ owner, signal, headersOnly }: OutputReader): Promise<Release> {
  if (headersOnly) return () => {}
  const release = await slots.enter(owner, timeLimit(longestWaitMs, signal)).catch(() => null)
  if (signal.aborted) {
    release?.()
    throw unavailable('The client has closed the connection.', retryAfterS)
  }
  if (!release) {
    throw rateLimited(
      `Too many requests read long output. At most ${limits.perOwner} of a user are answered at the same time. Wait until one of them ends, and try again.`,
      retryAfterS,
    )
  }
  signal.addEventListener('abort', release, { once: true })
  return release
}

/** Compressing is more work than reading, and happens outside of turns. */
const mostCompressed = 2

/** The headers of an answer for which {@link startReading} was called: if many are sent, the web server does not compress this one. */
export function cachingOfOutput(): { 'cache-control': string } {
  return { 'cache-control': slots.taken > mostCompressed ? 'no-store, no-transform' : 'no-store' }
}

/** Bytes of output that are read in one turn: less than a millisecond of work. */
export const bytesPerTurn = 128 * 1024

/** Does a step of a long reading, such as a query, in a turn of the reader. */
export function inTurn<Value>({ owner, signal }: OutputReader, work: () => Promise<Value>): Promise<Value> {
  return turns.run(owner, signal, work)
}

/**
 * Divides a long output into pieces, each of which waits for its turn. Output that is shorter than one piece waits for none.
 * @param slice cuts a piece of the source
 */
export async function* inTurns<Piece>(
  source: AsyncIterable<Piece>,
  { owner, signal }: OutputReader,
  {
    size,
    slice,
  }: { size: (piece: Piece) => number; slice: (piece: Piece, from: number, to: number) => Piece },
): AsyncGenerator<Piece> {
  let sinceTurn = 0
  for await (const piece of source) {
    const bytes = size(piece)
    for (let from = 0; from < bytes; from += bytesPerTurn) {
      const part = slice(piece, from, Math.min(from + bytesPerTurn, bytes))
      sinceTurn += size(part)
      signal.throwIfAborted()
      if (sinceTurn > bytesPerTurn) {
        await turns.next(owner, signal)
        sinceTurn = 0
      }
      yield part
    }
  }
}
