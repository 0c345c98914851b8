import { downloadQuerySchema } from '@/lib/contract/artifacts'
import { readQuery, route } from '@/lib/http/route'
import { followLink } from '@/lib/jobs/downloads/download-links'

/** A file by a signed link: the signature is what proves the right. */
export const GET = route('public', async ({ url }) =>
  followLink(readQuery(url, downloadQuerySchema), new Date()),
)
