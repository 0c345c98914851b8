import {
  archiveLimitsSchema,
  archiveRequestSchema,
  archiveStateSchema,
  blobsQuerySchema,
  storedBlobsSchema,
} from '../../contract/archives'
import { type Operation, ok } from './operation'

/** Shipping directories. */
export const archiveOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/archives',
    tag: 'directories',
    summary: 'How large a directory may be shipped',
    access: 'submit',
    answers: ok(archiveLimitsSchema),
  },
  {
    method: 'post',
    path: '/api/archives',
    tag: 'directories',
    summary: 'List a directory, and hear what of its content is missing',
    access: 'submit',
    body: archiveRequestSchema,
    answers: ok(archiveStateSchema),
  },
  {
    method: 'post',
    path: '/api/archives/blobs',
    tag: 'directories',
    summary: 'Send contents that are missing',
    access: 'submit',
    query: blobsQuerySchema,
    bytes:
      'For each content: its SHA-256 (32 bytes), its size (8 bytes, big-endian), and the content itself. ' +
      'Those that came whole are kept where a later one breaks off.',
    answers: ok(storedBlobsSchema),
  },
]
