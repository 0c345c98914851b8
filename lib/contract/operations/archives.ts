import {
  archiveLimitsSchema,
  archiveRequestSchema,
  archiveStateSchema,
  blobsQuerySchema,
  storedBlobsSchema,
} from '../archives'
import { defineOperations, ok } from './operation'

/** Shipping directories. */
export const archiveOperations = defineOperations('archives', 'directories', {
  limits: {
    method: 'get',
    path: '/api/archives',
    summary: 'How large a directory may be shipped',
    access: 'submit',
    responses: ok(archiveLimitsSchema),
  },
  register: {
    method: 'post',
    path: '/api/archives',
    summary: 'List a directory, and hear what of its content is missing',
    access: 'submit',
    body: archiveRequestSchema,
    maxBodyBytes: 16 * 1024 * 1024,
    responses: ok(archiveStateSchema),
  },
  send: {
    method: 'post',
    path: '/api/archives/blobs',
    summary: 'Send contents that are missing',
    access: 'submit',
    query: blobsQuerySchema,
    bytes:
      'For each content: its SHA-256 (32 bytes), its size (8 bytes, big-endian), and the content itself. ' +
      'Those that came whole are kept where a later one breaks off.',
    responses: ok(storedBlobsSchema),
  },
})
