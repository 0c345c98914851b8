import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { downloadSharedArtifact } from '@/lib/jobs/shares/shared-parts'

/** Public, because the token of the link proves the right. */
export const GET = route(shareOperations.artifact, ({ params, query, request }) =>
  downloadSharedArtifact(params.token, params.artifactId, query.as, request),
)
