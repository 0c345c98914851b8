import type { Metadata } from 'next'
import { PasswordForm } from '@/components/access/password-form'
import { ProfilePanel } from '@/components/access/profile-panel'
import { AppearancePanel } from '@/components/shell/appearance-panel'
import { PageHeader } from '@/components/ui/page-header'
import { pageActor } from '../page-actor'

export const metadata: Metadata = { title: 'Settings' }

export default async function SettingsPage() {
  await pageActor('/settings')
  return (
    <div className="max-w-3xl">
      <PageHeader title="Settings" />
      <div className="flex flex-col gap-5">
        <ProfilePanel />
        <PasswordForm />
        <AppearancePanel />
      </div>
    </div>
  )
}
