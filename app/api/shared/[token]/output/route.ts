import { clientAddress } from '@/lib/access/client-address'
import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { contentDisposition } from '@/lib/jobs/downloads/content-disposition'
import { plainText } from '@/lib/jobs/downloads/download'
import { findShare, openShare } from '@/lib/jobs/shares/shared-job'

/** Public, because the token of the link proves the right. */
export const GET = route(shareOperations.output, async ({ params, request }) => {
  const { jobId, attempt } = await openShare(params.token, clientAddress(request.headers))
  const text = await plainText({ id: jobId, attempt })
  const mayRead = async () => (await findShare(params.token)) !== null
  return contentDisposition(text, { name: 'output.txt', type: 'text/plain; charset=utf-8', mayRead })
})
