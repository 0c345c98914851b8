import { maxArchiveBytes, registerArchive } from '@/lib/archives/register'
import { maxEntries } from '@/lib/contract/archive-manifest'
import { archiveRequestSchema } from '@/lib/contract/archives'
import { readJson, route } from '@/lib/http/route'

const maxListBytes = 16 * 1024 * 1024

/** What may be shipped: clients look before they read a whole directory. */
export const GET = route('submit', async () =>
  Response.json(
    { max_bytes: maxArchiveBytes(), max_entries: maxEntries },
    { headers: { 'cache-control': 'no-store' } },
  ),
)

/** Takes the list of a directory, and says which contents are missing. */
export const POST = route('submit', async ({ actor, request }) => {
  const { project_id, entries } = await readJson(request, archiveRequestSchema, maxListBytes)
  return Response.json(await registerArchive(actor, project_id, entries), {
    headers: { 'cache-control': 'no-store' },
  })
})
