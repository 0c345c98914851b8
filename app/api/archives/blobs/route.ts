import { receiveBlobs } from '@/lib/archives/receive'
import { blobsQuerySchema } from '@/lib/contract/archives'
import { GpuqError } from '@/lib/contract/errors'
import { readQuery, route } from '@/lib/http/route'

/** Takes contents that a directory lacks, in frames. */
export const POST = route('submit', async ({ actor, request, url }) => {
  const { project_id } = readQuery(url, blobsQuerySchema)
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (type !== 'application/octet-stream' || encoding !== 'identity')
    throw new GpuqError('unsupported_media_type', 'Send application/octet-stream, without Content-Encoding.')
  const body = request.body ?? new Blob([]).stream()
  return Response.json({ stored: await receiveBlobs(actor, project_id, body) })
})
