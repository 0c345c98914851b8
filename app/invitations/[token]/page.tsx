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
          title="This invitation does not work any more"
          action={
            <ButtonLink href="/sign-in" size="sm">
              Sign in
            </ButtonLink>
          }
        >
          It was used, has ended, or was replaced by a newer one. Ask your admin for a new one.
        </Callout>
      </AuthLayout>
    )
  }
  return (
    <AuthLayout
      title={`Welcome, ${invited.handle}`}
      note="You will sign in with your user id and this password."
    >
      <InvitationForm token={token} />
    </AuthLayout>
  )
}
