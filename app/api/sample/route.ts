import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { readSample } from '@/lib/jobs/read/sample'

export const GET = route(jobOperations.sample, () => readSample())
