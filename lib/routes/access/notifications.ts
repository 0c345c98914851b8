import { listDeliveries, redeliver, sendTest } from '../../access/notifications/deliveries'
import { inviteByMail, listInvitationMails } from '../../access/notifications/invitation-mails'
import {
  createTarget,
  deleteTarget,
  readNotifications,
  updateTarget,
} from '../../access/notifications/targets'
import { createWebhookSecret } from '../../access/notifications/webhook-secret'
import { invitationMailOperations, notificationOperations } from '../../contract/operations/notifications'
import { route } from '../../http/route'

export const notificationRoutes = {
  get: route(notificationOperations.get, ({ actor }) => readNotifications(actor)),

  createTarget: route(notificationOperations.createTarget, async ({ actor, body }) =>
    createTarget(actor, await body()),
  ),

  updateTarget: route(notificationOperations.updateTarget, async ({ actor, params, body }) =>
    updateTarget(actor, params.id, await body()),
  ),

  removeTarget: route(notificationOperations.removeTarget, ({ actor, params }) =>
    deleteTarget(actor, params.id),
  ),

  test: route(notificationOperations.test, ({ actor, params }) => sendTest(actor, params.id)),

  deliveries: route(notificationOperations.deliveries, ({ actor, query }) => listDeliveries(actor, query)),

  redeliver: route(notificationOperations.redeliver, ({ actor, params }) => redeliver(actor, params.id)),

  createSecret: route(notificationOperations.createSecret, ({ actor }) => createWebhookSecret(actor)),
}

export const invitationMailRoutes = {
  invitationMails: route(invitationMailOperations.invitationMails, ({ actor }) => listInvitationMails(actor)),

  sendInvitationMail: route(invitationMailOperations.sendInvitationMail, async ({ actor, body }) => {
    await inviteByMail(actor, (await body()).user_id)
  }),
}
