import type { ReactNode } from 'react'
import { announcementQuery } from '@/components/announcements/queries'
import { AppShell } from '@/components/shell/app-shell'
import { QueryProvider } from '@/components/shell/query-provider'
import { isAdmin } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'
import { readAnnouncement } from '@/lib/announcements/announcements'
import { env } from '@/lib/env'
import { Prefetched } from './prefetched'

/** The frame of every page for a signed-in user. The page itself redirects others to sign in, because it knows its path. */
export default async function SiteLayout({ children }: { children: ReactNode }) {
  const actor = await currentActor()
  if (!actor) return children
  return (
    <QueryProvider>
      <Prefetched queryKey={announcementQuery().queryKey} load={() => readAnnouncement(actor)}>
        <AppShell handle={actor.handle} admin={isAdmin(actor)} engine={env().GPUQ_ENGINE}>
          {children}
        </AppShell>
      </Prefetched>
    </QueryProvider>
  )
}
