import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { AuthLayout } from '@/components/access/auth-layout'
import { AccountForm } from '@/components/join-links/account-form'
import { JoinButton } from '@/components/join-links/join-button'
import { ButtonLink } from '@/components/ui/button-link'
import { Callout } from '@/components/ui/callout'
import { clientAddress } from '@/lib/access/client-address'
import { currentActor } from '@/lib/access/sessions/current-actor'
import { describeJoining } from '@/lib/contract/access/project-kinds'
import { GpuqError } from '@/lib/contract/errors'
import type { JoinProject } from '@/lib/join-links/contract'
import { type OpenedJoinLink, openJoinLink, refusalOf } from '@/lib/join-links/join-project'

/** The address is a secret: no search engine may list it, and no other site may receive it. */
export const metadata: Metadata = {
  title: 'Join a project',
  robots: { index: false, follow: false, noarchive: true },
  referrer: 'no-referrer',
}

export default async function JoinPage({ params }: { params: Promise<{ token: string }> }) {
  const [{ token }, requestHeaders, actor] = await Promise.all([params, headers(), currentActor()])
  const link = await openJoinLink(token, clientAddress(requestHeaders)).catch((error: unknown) => {
    if (error instanceof GpuqError) return error.message
    throw error
  })
  if (typeof link === 'string') return <Refusal message={link} />
  const refusal = refusalOf(link.state)
  if (refusal !== null) return <Refusal message={refusal} />
  const signIn = `/sign-in?next=${encodeURIComponent(`/join/${token}`)}`
  return (
    <AuthLayout
      title={`Join ${link.name ?? link.slug}`}
      note={
        actor ? null : (
          <ButtonLink href={signIn} size="sm">
            I have an account
          </ButtonLink>
        )
      }
    >
      <p className="mb-5 wrap-anywhere text-muted text-sm">
        Members of the {link.kind === 'private' ? 'project' : link.kind} {link.slug} of {link.owner} submit
        jobs to it. {describeSight(link)}
      </p>
      <Choice
        token={token}
        handle={actor?.handle ?? null}
        newAccounts={link.newAccounts}
        agreement={link.kind === 'private' ? {} : { agree_to: link.kind }}
      />
    </AuthLayout>
  )
}

/** Says who sees the jobs of members. */
function describeSight({ kind, slug, managers }: OpenedJoinLink): string {
  if (kind === 'class' && managers.length > 0)
    return `${describeJoining(kind, slug)} Its managers are ${managers.join(', ')}.`
  if (kind !== 'private') return describeJoining(kind, slug)
  return managers.length > 0
    ? `Its managers (${managers.join(', ')}) see these jobs with their source, output and files, and may cancel them.`
    : 'If an admin chooses managers for it, they see these jobs with their source, output and files, and may cancel them.'
}

function Choice({
  token,
  handle,
  newAccounts,
  agreement,
}: {
  token: string
  handle: string | null
  newAccounts: boolean
  agreement: JoinProject
}) {
  if (handle !== null) return <JoinButton token={token} handle={handle} agreement={agreement} />
  if (newAccounts) return <AccountForm token={token} agreement={agreement} />
  return (
    <Callout tone="info" title="Sign in to join">
      This link is for people who have an account. If you have none, ask an admin.
    </Callout>
  )
}

function Refusal({ message }: { message: string }) {
  return (
    <AuthLayout title="Join a project">
      <Callout
        tone="warning"
        title="You cannot join with this link"
        action={
          <ButtonLink href="/sign-in" size="sm">
            Sign in
          </ButtonLink>
        }
      >
        {message}
      </Callout>
    </AuthLayout>
  )
}
