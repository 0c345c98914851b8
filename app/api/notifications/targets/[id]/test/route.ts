import { sendTest } from '@/lib/access/notifications/deliveries'
import { notificationOperations } from '@/lib/contract/operations/notifications'
import { route } from '@/lib/http/route'

export const POST = route(notificationOperations.test, ({ actor, params }) => sendTest(actor, params.id))
