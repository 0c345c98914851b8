import { listDeliveries } from '@/lib/access/notifications/deliveries'
import { notificationOperations } from '@/lib/contract/operations/notifications'
import { route } from '@/lib/http/route'

export const GET = route(notificationOperations.deliveries, ({ actor, query }) =>
  listDeliveries(actor, query),
)
