import { route } from '../http/route'
import { deleteSnapshot, deleteVersions } from './delete-snapshots'
import { listSnapshots, listVersions } from './list-snapshots'
import { snapshotOperations } from './operations'
import { pushSnapshot } from './push-snapshot'
import { shareSnapshot } from './share-snapshot'
import { compareSnapshots, downloadSnapshot } from './snapshot-files'

export const snapshotRoutes = {
  list: route(snapshotOperations.list, ({ actor, params, query }) => listSnapshots(actor, params.id, query)),

  versions: route(snapshotOperations.versions, ({ actor, params, query }) =>
    listVersions(actor, params.id, query),
  ),

  create: route(snapshotOperations.create, async ({ actor, params, body, answer }) => {
    const snapshot = await pushSnapshot(actor, params.id, await body())
    return answer(snapshot, { status: snapshot.created ? 201 : 200 })
  }),

  removeAll: route(snapshotOperations.removeAll, ({ actor, params, query }) =>
    deleteVersions(actor, params.id, query.name),
  ),

  update: route(snapshotOperations.update, async ({ actor, params, body }) => {
    const { shared } = await body()
    return shareSnapshot(actor, params.id, shared)
  }),

  remove: route(snapshotOperations.remove, ({ actor, params }) => deleteSnapshot(actor, params.id)),

  changes: route(snapshotOperations.changes, ({ actor, params, query }) =>
    compareSnapshots(actor, params.id, query),
  ),

  download: route(snapshotOperations.download, ({ actor, params }) => downloadSnapshot(actor, params.id)),
}
