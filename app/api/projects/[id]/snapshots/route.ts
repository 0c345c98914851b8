import { deleteVersions } from '@/lib/archives/snapshots/delete-snapshots'
import { listSnapshots } from '@/lib/archives/snapshots/list-snapshots'
import { pushSnapshot } from '@/lib/archives/snapshots/push-snapshot'
import { snapshotOperations } from '@/lib/contract/operations/snapshots'
import { route } from '@/lib/http/route'

export const GET = route(snapshotOperations.list, ({ actor, params, query }) =>
  listSnapshots(actor, params.id, query),
)

export const POST = route(snapshotOperations.create, async ({ actor, params, body, answer }) => {
  const snapshot = await pushSnapshot(actor, params.id, await body())
  return answer(snapshot, { status: snapshot.created ? 201 : 200 })
})

export const DELETE = route(snapshotOperations.removeAll, ({ actor, params, query }) =>
  deleteVersions(actor, params.id, query.name),
)
