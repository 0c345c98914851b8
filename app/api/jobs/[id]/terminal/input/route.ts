import { terminalQuerySchema } from '@/lib/contract/jobs'
import { readBytes } from '@/lib/http/raw-body'
import { readQuery, route } from '@/lib/http/route'
import { maxInputBytes, typeInto } from '@/lib/jobs/live/terminal'

/** Types at the terminal of a running job. */
export const POST = route<{ id: string }>('submit', async ({ request, url, params, actor }) => {
  const { rank } = readQuery(url, terminalQuerySchema)
  await typeInto(actor, params.id, rank, () => readBytes(request, maxInputBytes))
  return new Response(null, { status: 204 })
})
