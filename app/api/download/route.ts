import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { followLink } from '@/lib/jobs/downloads/download-links'

/** A file by a signed link: the signature is what proves the right. */
export const GET = route(artifactOperations.followLink, ({ query }) => followLink(query, new Date()))
