import { readNotifications } from '@/lib/access/notifications/targets'
import { notificationOperations } from '@/lib/contract/operations/notifications'
import { route } from '@/lib/http/route'

export const GET = route(notificationOperations.get, ({ actor }) => readNotifications(actor))
