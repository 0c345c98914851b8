import { maxArchiveBytes, registerArchive } from '@/lib/archives/register'
import { maxEntries } from '@/lib/contract/archives/archive-manifest'
import { archiveOperations } from '@/lib/contract/operations/archives'
import { route } from '@/lib/http/route'

/** The limits of an upload. Clients check them before they read a whole directory. */
export const GET = route(archiveOperations.limits, () => ({
  max_bytes: maxArchiveBytes(),
  max_entries: maxEntries,
}))

export const POST = route(archiveOperations.register, async ({ actor, body }) => {
  const { project_id, entries } = await body()
  return registerArchive(actor, project_id, entries)
})
