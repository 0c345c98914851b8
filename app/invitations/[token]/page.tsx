import type { Metadata } from 'next'
import { AuthLayout } from '@/components/access/auth-layout'
import { InvitationForm } from '@/components/access/invitation-form'
import { ButtonLink } from '@/components/ui/button-link'
import { Callout } from '@/components/ui/callout'
import { findInvited } from '@/lib/access/users/invitations'

export const metadata: Metadata = { title: 'Invitation', referrer: 'no-referrer' }

export default async function InvitationPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params
  const invited = await findInvited(token)
  if (!invited) {
    return (
      <AuthLayout title="Invitation">
        <Callout
          tone="warning"
          title="This invitation is not valid"
          action={
            <ButtonLink href="/sign-in" size="sm">
              Sign in
            </ButtonLink>
          }
        >
          It was used, expired or was replaced. Ask your admin for a new invitation.
        </Callout>
      </AuthLayout>
    )
  }
  return (
    <AuthLayout
      title={`Welcome, ${invited.handle}`}
      note="Sign in later with your user id and this password."
    >
      <InvitationForm token={token} handle={invited.handle} />
    </AuthLayout>
  )
}
