import { clientAddress } from '../access/client-address'
import { findVisible } from '../access/projects/projects'
import { database } from '../database/client'
import { siteOrigin } from '../http/origin'
import { route } from '../http/route'
import { createJoinLink, listJoinLinks, revokeJoinLink } from './join-links'
import { joinProject, joinWithAccount } from './join-project'
import { joinLinkOperations } from './operations'

export const joinLinkRoutes = {
  list: route(joinLinkOperations.list, ({ actor, params }) => listJoinLinks(actor, params.id)),

  create: route(joinLinkOperations.create, async ({ actor, params, body, request }) => {
    await findVisible(database().pool, actor, params.id)
    return createJoinLink(actor, params.id, await body(), siteOrigin(request))
  }),

  revoke: route(joinLinkOperations.revoke, ({ actor, params }) =>
    revokeJoinLink(actor, params.id, params.linkId),
  ),

  join: route(joinLinkOperations.join, ({ actor, params, body, request }) =>
    joinProject(actor, params.token, body, clientAddress(request.headers)),
  ),

  /** Public, because the link proves the right. */
  createAccount: route(joinLinkOperations.createAccount, ({ params, body, request }) =>
    joinWithAccount(params.token, body, clientAddress(request.headers)),
  ),
}
