import {
  created,
  defineOperations,
  done,
  get,
  list,
  ok,
  patch,
  post,
  remove,
} from '../contract/operations/operation'
import * as notifications from './contract'
import * as invitationMails from './contract-invitation-mails'

const queued = {
  202: { description: 'It is delivered soon; the log has the result', schema: notifications.deliverySchema },
}

/** Where the caller is notified, and the log of the messages. */
export const notificationOperations = defineOperations('notifications', 'access', {
  get: get('/api/notifications', 'read', 'Where the caller is notified', {
    responses: ok(notifications.notificationsSchema),
  }),
  createTarget: post('/api/notifications/targets', 'submit', 'Add a target of notifications', {
    body: notifications.createTargetSchema,
    responses: created(notifications.targetSchema),
  }),
  updateTarget: patch(
    '/api/notifications/targets/{id}',
    'submit',
    'Change the events of a target, or pause it',
    {
      body: notifications.updateTargetSchema,
      responses: ok(notifications.targetSchema),
    },
  ),
  removeTarget: remove('/api/notifications/targets/{id}', 'submit', 'Delete a target and its log', {
    responses: done,
  }),
  test: post('/api/notifications/targets/{id}/test', 'submit', 'Send a test message to a target', {
    responses: queued,
  }),
  deliveries: get('/api/notifications/deliveries', 'read', 'The delivery log, the latest first', {
    query: notifications.listDeliveriesSchema,
    responses: list(notifications.deliverySchema),
  }),
  redeliver: post('/api/notifications/deliveries/{id}/redeliver', 'submit', 'Deliver a message again', {
    responses: { ...queued, 409: { description: 'The message waits for its next attempt' } },
  }),
  createSecret: post(
    '/api/notifications/secret',
    'submit',
    'Create the secret that signs webhooks, or replace it; the old one also signs for one day',
    { responses: created(notifications.signingSecretSchema) },
  ),
})

/** The e-mails that invite users. */
export const invitationMailOperations = defineOperations('users', 'access', {
  invitationMails: get('/api/invitation-mails', 'admin', 'E-mails with invitations that were not delivered', {
    responses: ok(invitationMails.invitationMailsSchema),
  }),
  sendInvitationMail: post('/api/invitation-mails', 'admin', 'Send a user an invitation by e-mail', {
    body: invitationMails.sendInvitationMailSchema,
    responses: done,
  }),
})
