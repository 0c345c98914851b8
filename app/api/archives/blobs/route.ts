import { receiveBlobs } from '@/lib/archives/receive'
import { GpuqError } from '@/lib/contract/errors'
import { archiveOperations } from '@/lib/contract/operations/archives'
import { bodyChunks, mediaType } from '@/lib/http/body'
import { route } from '@/lib/http/route'

export const POST = route(archiveOperations.send, async ({ actor, request, query }) => {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (mediaType(request) !== 'application/octet-stream' || encoding !== 'identity')
    throw new GpuqError('unsupported_media_type', 'Send application/octet-stream, without Content-Encoding.')
  return { stored: await receiveBlobs(actor, query.project_id, bodyChunks(request)) }
})
