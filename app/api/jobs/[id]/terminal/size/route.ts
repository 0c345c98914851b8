import { terminalQuerySchema, terminalSizeSchema } from '@/lib/contract/jobs'
import { readJson, readQuery, route } from '@/lib/http/route'
import { resizeTerminal } from '@/lib/jobs/live/terminal'

/** Says how large the terminal of a running job is to be. */
export const POST = route<{ id: string }>('submit', async ({ request, url, params, actor }) => {
  const { rank } = readQuery(url, terminalQuerySchema)
  await resizeTerminal(actor, params.id, rank, () => readJson(request, terminalSizeSchema))
  return new Response(null, { status: 204 })
})
