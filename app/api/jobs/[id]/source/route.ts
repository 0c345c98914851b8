import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { readSource } from '@/lib/jobs/read/read'

export const GET = route(jobOperations.source, ({ params, actor }) => readSource(actor, params.id))
