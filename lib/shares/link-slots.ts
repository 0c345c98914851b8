import { takeSlot } from '../async/concurrency-limit'
import { rateLimited } from '../contract/errors'
import type { OpenShare } from './shared-job'

/** Answers that last, to clients without an account: to one address, of one job, and of all links together. */
const limits = {
  streams: { address: 16, job: 64, all: 256 },
  /** A browser loads the pictures of a gallery at the same time. */
  downloads: { address: 128, job: 256, all: 512 },
}

const refusals = {
  streams: 'Too many live pages of read-only links are open. Close some, or try again later.',
  downloads: 'Too many files of read-only links are being downloaded. Try again in half a minute.',
}

/**
 * Takes a place for an answer that lasts. Returns the function that frees it.
 * @throws 429 if too many are in progress.
 */
export function takeLinkSlots(
  kind: keyof typeof limits,
  { address, jobId }: Pick<OpenShare, 'address' | 'jobId'>,
): () => void {
  const { address: perAddress, job: perJob, all } = limits[kind]
  const taken = [
    takeSlot(`shared ${kind} of ${address}`, perAddress),
    takeSlot(`shared ${kind} of job ${jobId}`, perJob),
    takeSlot(`shared ${kind}`, all),
  ]
  const releaseAll = () => {
    for (const release of taken) release?.()
  }
  if (!taken.includes(null)) return releaseAll
  releaseAll()
  throw rateLimited(refusals[kind], 30)
}

/** Starts a download. It keeps its place until it ends, or until it is refused. @throws 429 if too many are in progress. */
export async function withDownloadSlot(
  client: Pick<OpenShare, 'address' | 'jobId'>,
  download: (onEnd: () => void) => Promise<Response>,
): Promise<Response> {
  const release = takeLinkSlots('downloads', client)
  try {
    return await download(release)
  } catch (error) {
    release()
    throw error
  }
}
