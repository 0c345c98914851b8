import { inviteByMail, listInvitationMails } from '@/lib/access/notifications/invitation-mails'
import { invitationMailOperations } from '@/lib/contract/operations/notifications'
import { route } from '@/lib/http/route'

export const GET = route(invitationMailOperations.invitationMails, ({ actor }) => listInvitationMails(actor))

export const POST = route(invitationMailOperations.sendInvitationMail, async ({ actor, body }) => {
  await inviteByMail(actor, (await body()).user_id)
})
