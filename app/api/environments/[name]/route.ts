import { updateEnvironment } from '@/lib/access/environments'
import { environmentOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const PATCH = route(environmentOperations.update, async ({ actor, params, body }) =>
  updateEnvironment(actor, params.name, await body()),
)
