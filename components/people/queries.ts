import { queryOptions } from '@tanstack/react-query'
import { api, changing } from '../queries/queries'

const resource = ['invitation-mails'] as const
/** While e-mails wait, the list changes by itself. */
const repeatMs = 3_000

/** The e-mails with invitations that were not delivered, and whether gpuq can send any. */
export const invitationMailsQuery = () =>
  queryOptions({
    queryKey: resource,
    queryFn: ({ signal }) => api.users.invitationMails(signal),
    refetchInterval: ({ state: { data } }) =>
      data?.mails.some(({ state }) => state !== 'failed') ? repeatMs : false,
  })

export const sendInvitationMail = changing(
  (user_id: string) => api.users.sendInvitationMail({ user_id }),
  resource,
)
