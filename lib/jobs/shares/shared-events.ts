import { cachedCheck } from '../../access/credential-validity'
import { takeSlot } from '../../async/concurrency-limit'
import { rateLimited } from '../../contract/errors'
import { printedRecords } from '../../results/printed-records'
import { streamEvents } from '../live/events'
import { toSharedFacts } from './shared-facts'
import { countReading, findShare, linksOf, openShare } from './shared-job'

/** Open streams of clients without an account: of one address, of one link, and of all links together. */
const streamLimits = { address: 16, link: 64, all: 256 }

/** The stream of a longer output starts with its end. The download has everything. */
const tailBytes = 1024 * 1024
/** The stream has only the start of a larger result. */
const maxRecordBytes = 256 * 1024

interface SharedEventsRequest {
  token: string
  /** The client's address, for the limits. */
  address: string
  lastEventId: string | null
}

/**
 * The live events of a job for the holder of a link. `job` has only what the page of the link shows. The stream ends with `closed`
 * soon after the link expired or was revoked.
 * @throws 404 for a link that is not valid, and 429.
 */
export async function sharedEvents(
  { token, address, lastEventId }: SharedEventsRequest,
  signal: AbortSignal,
): Promise<Response> {
  const share = await openShare(token, address)
  countReading(share)
  const { jobId } = share
  const release = takeSlots([
    [`shared streams of ${address}`, streamLimits.address],
    [`shared streams of job ${jobId}`, streamLimits.link],
    ['shared streams', streamLimits.all],
  ])
  if (!release) {
    throw rateLimited('Too many live pages of read-only links are open. Close some, or try again later.', 30)
  }
  const mayRead = cachedCheck(async () => (await findShare(token)) !== null)
  const reader = {
    owner: linksOf(share),
    mayRead,
    show: toSharedFacts,
    records: printedRecords,
    release,
    closed: 'event: closed\ndata: {}\n\n',
  }
  return streamEvents(reader, jobId, { lastEventId, tail: tailBytes, maxRecordBytes }, signal)
}

/** Takes a slot of each name, or none. Returns the function that releases them; null if one has none left. */
function takeSlots(wanted: readonly (readonly [name: string, limit: number])[]): (() => void) | null {
  const taken = wanted.map(([name, limit]) => takeSlot(name, limit))
  const releaseAll = () => {
    for (const release of taken) release?.()
  }
  if (!taken.includes(null)) return releaseAll
  releaseAll()
  return null
}
