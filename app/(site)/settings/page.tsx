import type { Metadata } from 'next'
import { PasswordForm } from '@/components/access/password-form'
import { ProfilePanel } from '@/components/access/profile-panel'
import { SessionsPanel } from '@/components/access/sessions/sessions-panel'
import { NotificationsPanel } from '@/components/notifications/notifications-panel'
import { notificationsQuery } from '@/components/notifications/queries'
import { keys } from '@/components/queries/queries'
import { storageQuery } from '@/components/queries/storage'
import { AppearancePanel } from '@/components/shell/appearance-panel'
import { StoragePanel } from '@/components/storage/storage-panel'
import { PageHeader } from '@/components/ui/page-header'
import { listSessions } from '@/lib/access/sessions/sessions'
import { readStorage } from '@/lib/access/storage/stored-items'
import { getUser } from '@/lib/access/users/users'
import { storedItemsQuerySchema } from '@/lib/contract/access/storage'
import { readNotifications } from '@/lib/notifications/targets'
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
          <Prefetched
            queryKey={storageQuery().queryKey}
            load={() => readStorage(actor, storedItemsQuerySchema.parse({}))}
          >
            <StoragePanel />
          </Prefetched>
          <Prefetched queryKey={notificationsQuery().queryKey} load={() => readNotifications(actor)}>
            <NotificationsPanel />
          </Prefetched>
          <PasswordForm />
        </Prefetched>
        <Prefetched queryKey={keys.sessions} load={() => listSessions(actor)}>
          <SessionsPanel />
        </Prefetched>
        <AppearancePanel />
      </div>
    </div>
  )
}
