import { createJoinLink, listJoinLinks } from '@/lib/access/projects/join-links'
import { findVisible } from '@/lib/access/projects/projects'
import { joinLinkOperations } from '@/lib/contract/operations/join-links'
import { database } from '@/lib/database/client'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'

export const GET = route(joinLinkOperations.list, ({ actor, params }) => listJoinLinks(actor, params.id))

export const POST = route(joinLinkOperations.create, async ({ actor, params, body, request }) => {
  await findVisible(database().pool, actor, params.id)
  return createJoinLink(actor, params.id, await body(), siteOrigin(request))
})
