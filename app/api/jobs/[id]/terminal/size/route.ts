import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { resizeTerminal } from '@/lib/jobs/live/terminal'

export const POST = route(jobOperations.resize, ({ query, params, actor, body }) =>
  resizeTerminal(actor, params.id, query.rank, body),
)
