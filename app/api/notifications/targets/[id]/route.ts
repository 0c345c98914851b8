import { deleteTarget, updateTarget } from '@/lib/access/notifications/targets'
import { notificationOperations } from '@/lib/contract/operations/notifications'
import { route } from '@/lib/http/route'

export const PATCH = route(notificationOperations.updateTarget, async ({ actor, params, body }) =>
  updateTarget(actor, params.id, await body()),
)

export const DELETE = route(notificationOperations.removeTarget, ({ actor, params }) =>
  deleteTarget(actor, params.id),
)
