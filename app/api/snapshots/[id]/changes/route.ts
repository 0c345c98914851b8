import { compareSnapshots } from '@/lib/archives/snapshots/compare-snapshots'
import { snapshotOperations } from '@/lib/contract/operations/snapshots'
import { route } from '@/lib/http/route'

export const GET = route(snapshotOperations.changes, ({ actor, params, query }) =>
  compareSnapshots(actor, params.id, query),
)
