import { createTarget } from '@/lib/access/notifications/targets'
import { notificationOperations } from '@/lib/contract/operations/notifications'
import { route } from '@/lib/http/route'

export const POST = route(notificationOperations.createTarget, async ({ actor, body }) =>
  createTarget(actor, await body()),
)
