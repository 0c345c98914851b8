import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { followLink } from '@/lib/jobs/downloads/follow-link'
import { followSignedLink } from '@/lib/jobs/downloads/signed-links'

/** Public, because the secret of the link proves the right. */
export const GET = route(artifactOperations.followLink, ({ query: { link, ...claims }, request }) =>
  link === undefined
    ? followSignedLink(claims, new Date(), request.headers)
    : followLink(link, request.headers),
)
