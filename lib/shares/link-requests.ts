import { SlidingWindows } from '../async/sliding-windows'
import { type GpuqError, notFound, rateLimited } from '../contract/errors'

/** How many requests one address may make in a minute, for links without an account. */
const perMinute = {
  /** Readings of output. A page of a job that runs needs one, and a person opens few. */
  readings: 60,
  /** Metrics and files of jobs: 16 live pages, or all readers of an institute that open a gallery. */
  parts: 3_000,
  /** Views of results. */
  results: 60,
  /** Pictures of results. A page has at most 300. */
  pictures: 600,
}
const maxKeys = 20_000

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqLinkRequests?: SlidingWindows }
shared.gpuqLinkRequests ??= new SlidingWindows(60_000, maxKeys)
const requests = shared.gpuqLinkRequests

/** Counts a request with a link for the address of the client. @throws 429. */
export function countLinkRequest(kind: keyof typeof perMinute, { address }: { address: string }): void {
  const waitS = requests.hit(`${kind} ${address}`, perMinute[kind], performance.now())
  if (waitS !== null)
    throw rateLimited(`There were too many requests from your address. Try again in ${waitS} seconds.`, waitS)
}

/** The same answer for each reason, so that nobody learns why a link does not work. */
export const invalidLink = (): GpuqError =>
  notFound('This link is not valid: it is incomplete, has expired or was revoked. Ask for a new one.')
