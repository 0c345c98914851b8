import { createWebhookSecret } from '@/lib/access/notifications/webhook-secret'
import { notificationOperations } from '@/lib/contract/operations/notifications'
import { route } from '@/lib/http/route'

export const POST = route(notificationOperations.createSecret, ({ actor }) => createWebhookSecret(actor))
