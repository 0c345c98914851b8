import * as archives from '../archives/archives'
import { defineOperations, get, ok, post } from './operation'

/** Uploads of directories. */
export const archiveOperations = defineOperations('archives', 'directories', {
  limits: get('/api/archives', 'submit', 'Limits of an uploaded directory', {
    restrictedTokens: true,
    query: archives.archiveLimitsQuerySchema,
    responses: ok(archives.archiveLimitsSchema),
  }),
  register: post('/api/archives', 'submit', 'Register a directory, and get the contents to send', {
    restrictedTokens: true,
    body: archives.archiveRequestSchema,
    maxBodyBytes: 16 * 1024 * 1024,
    responses: ok(archives.archiveStateSchema),
  }),
  send: post('/api/archives/blobs', 'submit', 'Send missing contents', {
    restrictedTokens: true,
    query: archives.blobsQuerySchema,
    bytes:
      'For each content: SHA-256 (32 bytes), size (8 bytes, big-endian), content. ' +
      'Complete contents are stored even if the request ends early.',
    frequent: true,
    responses: ok(archives.storedBlobsSchema),
  }),
})
