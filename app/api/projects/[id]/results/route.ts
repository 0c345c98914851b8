import { resultOperations } from '@/lib/contract/operations/results'
import { route } from '@/lib/http/route'
import { readResults } from '@/lib/jobs/results/read-results'

export const GET = route(resultOperations.list, ({ actor, params, query }) =>
  readResults(actor, params.id, query),
)
