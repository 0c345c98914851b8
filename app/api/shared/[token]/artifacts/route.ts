import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { listSharedArtifacts } from '@/lib/jobs/shares/shared-parts'

/** Public, because the token of the link proves the right. */
export const GET = route(shareOperations.artifacts, ({ params, request }) =>
  listSharedArtifacts(params.token, request),
)
