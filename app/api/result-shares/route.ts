import { resultOperations } from '@/lib/contract/operations/results'
import { route } from '@/lib/http/route'
import { listResultShares } from '@/lib/jobs/results/result-shares'

export const GET = route(resultOperations.shares, ({ actor }) => listResultShares(actor))
