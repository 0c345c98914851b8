import { sharedDirectoryOf } from '../../access/users/workspace-user'
import { receiveBlobs } from '../../archives/receive'
import { maxArchiveBytes, registerArchive } from '../../archives/register'
import { GpuqError } from '../../contract/errors'
import { archiveOperations } from '../../contract/operations/archives'
import { env } from '../../env'
import { bodyChunks, mediaType } from '../../http/body'
import { route } from '../../http/route'

export const archiveRoutes = {
  /** The limits of an upload. Clients check them before they read a whole directory. */
  limits: route(archiveOperations.limits, async ({ actor, query: { project_id } }) => ({
    max_bytes: maxArchiveBytes(),
    max_entries: env().GPUQ_MAX_ARCHIVE_FILES,
    shared_directory: project_id === undefined ? null : await sharedDirectoryOf(actor, project_id),
  })),

  register: route(archiveOperations.register, async ({ actor, body }) => {
    const { project_id, entries } = await body()
    return registerArchive(actor, project_id, entries)
  }),

  send: route(archiveOperations.send, async ({ actor, request, query }) => {
    const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
    if (mediaType(request) !== 'application/octet-stream' || encoding !== 'identity')
      throw new GpuqError(
        'unsupported_media_type',
        'Send application/octet-stream, without Content-Encoding.',
      )
    return { stored: await receiveBlobs(actor, query.project_id, bodyChunks(request)) }
  }),
}
