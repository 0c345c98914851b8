import * as storage from '../access/storage'
import { defineOperations, done, get, ok, remove } from './operation'

/** Stored files: what takes space, and how to delete it. */
export const storageOperations = defineOperations('storage', 'storage', {
  get: get('/api/storage', 'read', 'What the caller has stored, and the largest of it', {
    query: storage.storedItemsQuerySchema,
    responses: ok(storage.storageSchema),
  }),
  disk: get('/api/storage/disk', 'admin', "The free space of the data directory's disk", {
    responses: ok(storage.diskSchema),
  }),
  deleteJobFiles: remove(
    '/api/jobs/{id}/files',
    'submit',
    'Delete the result, the files of /results and the source of an ended job; its record stays',
    { responses: { ...done, 409: { description: 'The job has not ended' } } },
  ),
  deleteArchive: remove('/api/archives/{id}', 'submit', 'Delete an uploaded directory', {
    responses: { ...done, 409: { description: 'A job that has not ended needs it' } },
  }),
})
