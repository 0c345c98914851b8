import { cachedCheck } from '../access/credential-validity'
import { streamEvents } from '../jobs/live/events'
import { printedRecords } from '../results/printed-records'
import { countLinkRequest } from './link-requests'
import { takeLinkSlots } from './link-slots'
import { toSharedFacts } from './shared-facts'
import { findShare, linksOf, openShare } from './shared-job'

/** The stream of a longer output starts with its end. The download has everything. */
const tailBytes = 1024 * 1024
/** The stream has only the start of a larger result. */
const maxRecordBytes = 256 * 1024

const noRecords = () => Buffer.alloc(0)

interface SharedEventsRequest {
  token: string
  /** The client's address, for the limits. */
  address: string
  lastEventId: string | null
}

/**
 * The live events of a job for the holder of a link: only what the page of the link shows. The stream ends with `closed` soon
 * after the link expired or was revoked.
 * @throws 404 for a link that is not valid, and 429.
 */
export async function sharedEvents(
  { token, address, lastEventId }: SharedEventsRequest,
  signal: AbortSignal,
): Promise<Response> {
  const share = await openShare(token, address)
  countLinkRequest('readings', share)
  const release = takeLinkSlots('streams', share)
  const mayRead = cachedCheck(async () => (await findShare(token)) !== null)
  const reader = {
    owner: linksOf(share),
    restriction: null,
    mayRead,
    show: toSharedFacts,
    records: share.output ? printedRecords : noRecords,
    release,
    closed: 'event: closed\ndata: {}\n\n',
  }
  return streamEvents(reader, share.jobId, { lastEventId, tail: tailBytes, maxRecordBytes }, signal)
}
