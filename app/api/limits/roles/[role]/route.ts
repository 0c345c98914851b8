import { roleOf, updateRoleLimits } from '@/lib/access/role-limits'
import { limitOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const PATCH = route(limitOperations.updateRole, async ({ actor, params, body }) =>
  updateRoleLimits(actor, roleOf(params.role), await body()),
)
