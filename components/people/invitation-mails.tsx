import { useMutation, useQuery } from '@tanstack/react-query'
import { invitationMailsQuery, sendInvitationMail } from '@/components/people/queries'
import type { InvitationMail } from '@/lib/notifications/contract-invitation-mails'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { formatCount } from '../ui/format-number'
import { toast, toastError } from '../ui/toaster'

/** The invitations by e-mail that did not arrive yet, and a button to send them again. */
export function InvitationMails() {
  const { data } = useQuery(invitationMailsQuery())
  if (!data || data.mails.length === 0) return null
  const failed = data.mails.filter(({ state }) => state === 'failed').length
  return (
    <section aria-label="Invitations by e-mail" className="flex flex-col gap-2">
      <h2 className="font-medium text-ink text-sm">Invitations by e-mail</h2>
      <p role="status" className="text-muted text-sm">
        {formatCount(data.mails.length - failed, 'e-mail')} waiting, {failed} failed.
      </p>
      <ul className="divide-y rounded-lg border">
        {data.mails.map((mail) => (
          <MailRow key={mail.user_id} mail={mail} />
        ))}
      </ul>
    </section>
  )
}

function MailRow({ mail: { user_id, email, state, problem } }: { mail: InvitationMail }) {
  const { mutateAsync, isPending } = useMutation(sendInvitationMail)
  const send = async () => {
    try {
      await mutateAsync(user_id)
      toast.success(`gpuq sends ${user_id} an invitation`)
    } catch (error) {
      toastError('The invitation was not sent', error)
    }
  }
  return (
    <li className="flex min-h-10 flex-wrap items-center justify-between gap-2 px-3 py-1.5 text-sm">
      <p className="min-w-0">
        <span className="flex flex-wrap items-center gap-1.5 wrap-anywhere">
          {user_id} {email === null ? '' : `<${email}>`}
          <Badge tone={state === 'failed' ? 'danger' : 'neutral'}>{state}</Badge>
        </span>
        {problem === null ? null : <span className="block text-subtle text-xs">{problem}</span>}
      </p>
      <Button size="sm" target={user_id} loading={isPending} onClick={() => void send()}>
        Send again
      </Button>
    </li>
  )
}
