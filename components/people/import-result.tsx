import { Download } from 'lucide-react'
import Papa from 'papaparse'
import type { ImportedInvitation, UserImport } from '@/lib/people/contract'
import { Button } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { Callout } from '../ui/callout'
import { formatCount } from '../ui/format-number'
import { InvitationMails } from './invitation-mails'
import { saveFile } from './save-file'

/** What an import did, and the invitations of the new users, which are shown once. */
export function ImportResult({ done: { users, invitations, mailed } }: { done: UserImport }) {
  const changed = users.filter(({ action }) => action === 'change').length
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <Callout tone="success" title="Imported" announce>
        {formatCount(invitations.length + mailed, 'user')} created, {changed} changed.
        {mailed > 0 ? ` gpuq sends ${formatCount(mailed, 'invitation')} by e-mail.` : null}
      </Callout>
      {invitations.length > 0 ? (
        <Callout tone="warning" title="Download the invitations now">
          You see these links only once. Send each person their own link. The first person who opens it sets
          the password. The links are valid for one week.
          <Button
            icon={Download}
            variant="primary"
            className="mt-3 flex"
            onClick={() => saveFile('invitations.csv', toCsv(invitations))}
          >
            Download invitations
          </Button>
        </Callout>
      ) : null}
      <InvitationMails />
      <ButtonLink href="/admin/users" className="self-start">
        Show users
      </ButtonLink>
    </div>
  )
}

/** A spreadsheet must not take a name for a formula. */
function toCsv(invitations: readonly ImportedInvitation[]): string {
  const rows = invitations.map(({ name, email, user_id, url, expires_at }) => ({
    name: name ?? '',
    email: email ?? '',
    user_id,
    link: url,
    expires: expires_at,
  }))
  return `${Papa.unparse(rows, { escapeFormulae: true })}\r\n`
}
