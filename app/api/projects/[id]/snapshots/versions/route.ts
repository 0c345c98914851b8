import { listVersions } from '@/lib/archives/snapshots/list-snapshots'
import { snapshotOperations } from '@/lib/contract/operations/snapshots'
import { route } from '@/lib/http/route'

export const GET = route(snapshotOperations.versions, ({ actor, params, query }) =>
  listVersions(actor, params.id, query),
)
