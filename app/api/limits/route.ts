import { readOwnLimits } from '@/lib/access/role-limits'
import { limitOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(limitOperations.own, ({ actor, query }) => readOwnLimits(actor, query.project_id))
