import type { Metadata } from 'next'
import { PasswordForm } from '@/components/access/password-form'
import { ProfilePanel } from '@/components/access/profile-panel'
import { keys } from '@/components/queries/queries'
import { AppearancePanel } from '@/components/shell/appearance-panel'
import { PageHeader } from '@/components/ui/page-header'
import { getUser } from '@/lib/access/users/users'
import { Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'

export const metadata: Metadata = { title: 'Settings' }

export default async function SettingsPage() {
  const actor = await requireActor('/settings')
  return (
    <div className="max-w-3xl">
      <PageHeader title="Settings" />
      <div className="flex flex-col gap-5">
        <Prefetched queryKey={keys.me} load={() => getUser(actor, actor.handle)}>
          <ProfilePanel />
        </Prefetched>
        <PasswordForm />
        <AppearancePanel />
      </div>
    </div>
  )
}
