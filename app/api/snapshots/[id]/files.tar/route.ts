import { snapshotOperations } from '@/lib/contract/operations/snapshots'
import { route } from '@/lib/http/route'
import { downloadSnapshot } from '@/lib/jobs/downloads/snapshot'

export const GET = route(snapshotOperations.download, ({ actor, params }) =>
  downloadSnapshot(actor, params.id),
)
