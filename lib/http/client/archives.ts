import type { Entry } from '../../contract/archive-manifest'
import { archiveLimitsSchema, archiveStateSchema, storedBlobsSchema } from '../../contract/archives'
import type { Transport } from './transport'

/** Shipping directories. */
export function archiveCalls(transport: Transport) {
  return {
    /** What may be shipped. */
    limits: (signal?: AbortSignal) => transport.json('/api/archives', archiveLimitsSchema, { signal }),
    /** Sends the list of a directory; says what of its content is missing. */
    register: (projectId: string, entries: readonly Entry[], signal?: AbortSignal) =>
      transport.json('/api/archives', archiveStateSchema, {
        method: 'POST',
        body: { project_id: projectId, entries },
        signal,
      }),
    /** Sends contents, as frames. */
    send: (projectId: string, stream: ReadableStream<Uint8Array>, signal?: AbortSignal) =>
      transport.json('/api/archives/blobs', storedBlobsSchema, {
        method: 'POST',
        query: { project_id: projectId },
        stream,
        signal,
      }),
  }
}
