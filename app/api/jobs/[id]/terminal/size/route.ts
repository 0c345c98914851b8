import { readJson, readQuery, route } from '@/lib/http/route'
import { terminalQuerySchema, terminalSizeSchema } from '@/lib/jobs/schemas'
import { resizeTerminal } from '@/lib/jobs/terminal'

/** Says how large the terminal of a running job is to be. */
export const POST = route<{ id: string }>('submit', async ({ request, url, params, actor }) => {
  const { rank } = readQuery(url, terminalQuerySchema)
  await resizeTerminal(actor, params.id, rank, () => readJson(request, terminalSizeSchema))
  return new Response(null, { status: 204 })
})
