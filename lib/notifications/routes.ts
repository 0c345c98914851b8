import { route } from '../http/route'
import { listDeliveries, redeliver, sendTest } from './deliveries'
import { inviteByMail, listInvitationMails } from './invitation-mails'
import { invitationMailOperations, notificationOperations } from './operations'
import { createTarget, deleteTarget, readNotifications, updateTarget } from './targets'
import { createWebhookSecret } from './webhook-secret'

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
