import { snapshotChangesSchema } from '../contract/archives/changes'
import {
  defineOperations,
  done,
  file,
  get,
  list,
  ok,
  patch,
  post,
  remove,
} from '../contract/operations/operation'
import * as snapshots from './contract'

/** Snapshots: named versions of uploaded directories. */
export const snapshotOperations = defineOperations('snapshots', 'directories', {
  list: get('/api/projects/{id}/snapshots', 'read', 'The snapshots that a project may use, by name', {
    query: snapshots.listSnapshotsSchema,
    responses: list(snapshots.namedSnapshotSchema),
  }),
  versions: get('/api/projects/{id}/snapshots/versions', 'read', 'The versions of a snapshot, newest first', {
    query: snapshots.listVersionsSchema,
    responses: list(snapshots.snapshotSchema),
  }),
  create: post('/api/projects/{id}/snapshots', 'submit', 'Make a snapshot of an uploaded directory', {
    body: snapshots.createSnapshotSchema,
    responses: {
      201: { description: 'Created', schema: snapshots.pushedSnapshotSchema },
      200: { description: 'The newest version has the same content', schema: snapshots.pushedSnapshotSchema },
    },
  }),
  removeAll: remove('/api/projects/{id}/snapshots', 'submit', 'Delete all versions of a snapshot', {
    query: snapshots.deleteVersionsSchema,
    responses: { ...done, 409: { description: 'A version is shared with everyone' } },
  }),
  update: patch('/api/snapshots/{id}', 'admin', 'Share a snapshot with everyone, or stop sharing it', {
    body: snapshots.updateSnapshotSchema,
    responses: {
      ...ok(snapshots.snapshotSchema),
      409: { description: 'Another project shares a snapshot with this name' },
    },
  }),
  remove: remove('/api/snapshots/{id}', 'submit', 'Delete one version of a snapshot', {
    responses: { ...done, 409: { description: 'It is shared with everyone' } },
  }),
  changes: get('/api/snapshots/{id}/changes', 'read', 'What differs between two snapshots', {
    query: snapshots.compareSnapshotsSchema,
    responses: ok(snapshotChangesSchema),
  }),
  download: get('/api/snapshots/{id}/files.tar', 'read', 'Download a snapshot as one archive', {
    responses: file('A tar archive'),
  }),
})
