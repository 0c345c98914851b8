import { resultOperations } from '@/lib/contract/operations/results'
import { route } from '@/lib/http/route'
import { revokeResultShare } from '@/lib/jobs/results/result-shares'

export const DELETE = route(resultOperations.revokeShare, ({ actor, params }) =>
  revokeResultShare(actor, params.id),
)
