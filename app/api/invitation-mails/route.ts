import { inviteByMail, listInvitationMails } from '@/lib/access/notifications/invitation-mails'
import { userOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(userOperations.invitationMails, ({ actor }) => listInvitationMails(actor))

export const POST = route(userOperations.sendInvitationMail, async ({ actor, body }) => {
  await inviteByMail(actor, (await body()).user_id)
})
