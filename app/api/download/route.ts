import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { followLink } from '@/lib/jobs/downloads/download-links'

/** Public, because the signature of the link proves the right. */
export const GET = route(artifactOperations.followLink, ({ query, request }) =>
  followLink(query, new Date(), request.headers),
)
