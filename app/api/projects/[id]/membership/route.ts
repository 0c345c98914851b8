import { updateMembership } from '@/lib/access/projects/membership'
import { projectOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const PATCH = route(projectOperations.updateMembership, async ({ actor, params, body }) =>
  updateMembership(actor, params.id, await body()),
)
