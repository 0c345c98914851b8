import { deleteSnapshot } from '@/lib/archives/snapshots/delete-snapshots'
import { shareSnapshot } from '@/lib/archives/snapshots/share-snapshot'
import { snapshotOperations } from '@/lib/contract/operations/snapshots'
import { route } from '@/lib/http/route'

export const PATCH = route(snapshotOperations.update, async ({ actor, params, body }) => {
  const { shared } = await body()
  return shareSnapshot(actor, params.id, shared)
})

export const DELETE = route(snapshotOperations.remove, ({ actor, params }) =>
  deleteSnapshot(actor, params.id),
)
