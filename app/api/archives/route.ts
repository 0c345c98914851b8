import { sharedDirectoryOf } from '@/lib/access/users/workspace-user'
import { maxArchiveBytes, registerArchive } from '@/lib/archives/register'
import { archiveOperations } from '@/lib/contract/operations/archives'
import { env } from '@/lib/env'
import { route } from '@/lib/http/route'

/** The limits of an upload. Clients check them before they read a whole directory. */
export const GET = route(archiveOperations.limits, async ({ actor, query: { project_id } }) => ({
  max_bytes: maxArchiveBytes(),
  max_entries: env().GPUQ_MAX_ARCHIVE_FILES,
  shared_directory: project_id === undefined ? null : await sharedDirectoryOf(actor, project_id),
}))

export const POST = route(archiveOperations.register, async ({ actor, body }) => {
  const { project_id, entries } = await body()
  return registerArchive(actor, project_id, entries)
})
