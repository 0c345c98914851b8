import { clientAddress } from '../access/client-address'
import { findVisible } from '../access/projects/projects'
import { database } from '../database/client'
import { siteOrigin } from '../http/origin'
import { route } from '../http/route'
import { resultOperations } from './operations'
import { readResults } from './read-results'
import { createResultShare, listResultShares, revokeResultShare } from './result-shares'
import { readSharedResults, sharedPicture } from './shared-results'

export const resultRoutes = {
  list: route(resultOperations.list, ({ actor, params, query }) => readResults(actor, params.id, query)),

  shares: route(resultOperations.shares, ({ actor }) => listResultShares(actor)),

  share: route(resultOperations.share, async ({ actor, params, body, request }) => {
    const project = await findVisible(database().pool, actor, params.id)
    return createResultShare(actor, project, await body(), siteOrigin(request))
  }),

  revokeShare: route(resultOperations.revokeShare, ({ actor, params }) =>
    revokeResultShare(actor, params.id),
  ),

  /** Public, because the token of the link proves the right. */
  shared: route(resultOperations.shared, ({ params, request }) =>
    readSharedResults(params.token, clientAddress(request.headers)),
  ),

  /** Public, because the token of the link proves the right. */
  sharedPicture: route(resultOperations.sharedPicture, ({ params, request }) =>
    sharedPicture(params.token, params, clientAddress(request.headers), request.headers),
  ),
}
