import type { ReactNode } from 'react'
import { AppShell } from '@/components/shell/app-shell'
import { QueryProvider } from '@/components/shell/query-provider'
import { isAdmin } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'

/** What stands around every page of someone who is signed in. A stranger is sent away by the page itself, which knows where from. */
export default async function SiteLayout({ children }: { children: ReactNode }) {
  const actor = await currentActor()
  if (!actor) return children
  return (
    <QueryProvider>
      <AppShell handle={actor.handle} admin={isAdmin(actor)}>
        {children}
      </AppShell>
    </QueryProvider>
  )
}
