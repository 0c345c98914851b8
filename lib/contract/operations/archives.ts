import * as archives from '../archives'
import { defineOperations, get, ok, post } from './operation'

/** Shipping directories. */
export const archiveOperations = defineOperations('archives', 'directories', {
  limits: get('/api/archives', 'submit', 'How large a directory may be shipped', {
    responses: ok(archives.archiveLimitsSchema),
  }),
  register: post('/api/archives', 'submit', 'List a directory, and hear what of its content is missing', {
    body: archives.archiveRequestSchema,
    maxBodyBytes: 16 * 1024 * 1024,
    responses: ok(archives.archiveStateSchema),
  }),
  send: post('/api/archives/blobs', 'submit', 'Send contents that are missing', {
    query: archives.blobsQuerySchema,
    bytes:
      'For each content: its SHA-256 (32 bytes), its size (8 bytes, big-endian), and the content itself. ' +
      'Those that came whole are kept where a later one breaks off.',
    responses: ok(archives.storedBlobsSchema),
  }),
})
