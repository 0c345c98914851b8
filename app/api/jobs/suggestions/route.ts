import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { suggestValues } from '@/lib/jobs/read/suggest'

export const GET = route(jobOperations.suggest, ({ actor, query }) => suggestValues(actor, query))
