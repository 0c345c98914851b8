import { notFound, redirect } from 'next/navigation'
import { type Actor, isAdmin } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'

/** Who looks at a page; a stranger is sent to sign in and comes back to `path`. */
export async function pageActor(path: string): Promise<Actor> {
  const actor = await currentActor()
  if (!actor) redirect(`/sign-in?next=${encodeURIComponent(path)}`)
  return actor
}

/** The same for a page that only admins know of. */
export async function pageAdmin(path: string): Promise<Actor> {
  const actor = await pageActor(path)
  if (!isAdmin(actor)) notFound()
  return actor
}
