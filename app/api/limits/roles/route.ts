import { listRoleLimits } from '@/lib/access/role-limits'
import { limitOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(limitOperations.roles, ({ actor }) => listRoleLimits(actor))
