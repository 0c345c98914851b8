import { jobOperations } from '@/lib/contract/operations/jobs'
import { readBytes } from '@/lib/http/body'
import { route } from '@/lib/http/route'
import { maxInputBytes, typeInto } from '@/lib/jobs/live/terminal'

export const POST = route(jobOperations.type, ({ request, query, params, actor }) =>
  typeInto(actor, params.id, query.rank, () => readBytes(request, maxInputBytes)),
)
