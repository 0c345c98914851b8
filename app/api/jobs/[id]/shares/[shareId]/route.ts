import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { findChangeableJob } from '@/lib/jobs/read/job-visibility'
import { revokeShare } from '@/lib/jobs/shares/shares'

export const DELETE = route(shareOperations.revoke, async ({ actor, params }) =>
  revokeShare(actor, await findChangeableJob(actor, params.id), params.shareId),
)
