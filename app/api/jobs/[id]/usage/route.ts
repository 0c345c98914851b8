import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { readJobUsage } from '@/lib/jobs/read/usage'

export const GET = route(jobOperations.usage, ({ actor, params }) => readJobUsage(actor, params.id))
