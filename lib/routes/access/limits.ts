import { listRoleLimits, readOwnLimits, roleOf, updateRoleLimits } from '../../access/role-limits'
import { limitOperations } from '../../contract/operations/access'
import { route } from '../../http/route'

export const limitRoutes = {
  own: route(limitOperations.own, ({ actor, query }) => readOwnLimits(actor, query.project_id)),

  roles: route(limitOperations.roles, ({ actor }) => listRoleLimits(actor)),

  updateRole: route(limitOperations.updateRole, async ({ actor, params, body }) =>
    updateRoleLimits(actor, roleOf(params.role), await body()),
  ),
}
