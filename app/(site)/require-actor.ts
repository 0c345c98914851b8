import { notFound, redirect } from 'next/navigation'
import { type Actor, isAdmin } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'

/** The signed-in user. Redirects others to sign in, and back to `path` afterwards. */
export async function requireActor(path: string): Promise<Actor> {
  const actor = await currentActor()
  if (!actor) redirect(`/sign-in?next=${encodeURIComponent(path)}`)
  return actor
}

/** The same for admin pages. Other users get "not found". */
export async function requireAdmin(path: string): Promise<Actor> {
  const actor = await requireActor(path)
  if (!isAdmin(actor)) notFound()
  return actor
}
