import { clientAddress } from '../access/client-address'
import { siteOrigin } from '../http/origin'
import { route } from '../http/route'
import { findChangeableJob } from '../jobs/read/job-visibility'
import { shareOperations } from './operations'
import { sharedEvents } from './shared-events'
import {
  downloadSharedArtifact,
  downloadSharedArtifacts,
  downloadSharedMetrics,
  downloadSharedOutput,
  listSharedArtifacts,
  previewSharedArtifact,
  readSharedMetrics,
} from './shared-parts'
import { createShare, listShares, revokeShare } from './shares'

export const shareRoutes = {
  list: route(shareOperations.list, async ({ actor, params }) =>
    listShares(await findChangeableJob(actor, params.id)),
  ),

  create: route(shareOperations.create, async ({ actor, params, body, request }) => {
    const job = await findChangeableJob(actor, params.id)
    return createShare(actor, job, await body(), siteOrigin(request))
  }),

  revoke: route(shareOperations.revoke, async ({ actor, params }) =>
    revokeShare(actor, await findChangeableJob(actor, params.id), params.shareId),
  ),

  // These are public, because the token of the link proves the right.

  output: route(shareOperations.output, ({ params, request }) => downloadSharedOutput(params.token, request)),

  events: route(shareOperations.events, ({ params, request }) =>
    sharedEvents(
      {
        token: params.token,
        address: clientAddress(request.headers),
        lastEventId: request.headers.get('last-event-id'),
      },
      request.signal,
    ),
  ),

  metrics: route(shareOperations.metrics, ({ params, query, request }) =>
    readSharedMetrics(params.token, query, request),
  ),

  metricsCsv: route(shareOperations.metricsCsv, ({ params, query, request }) =>
    downloadSharedMetrics(params.token, query, request),
  ),

  artifacts: route(shareOperations.artifacts, ({ params, request }) =>
    listSharedArtifacts(params.token, request),
  ),

  artifact: route(shareOperations.artifact, ({ params, query, request }) =>
    downloadSharedArtifact(params.token, params.artifactId, query.as, request),
  ),

  artifactPreview: route(shareOperations.artifactPreview, ({ params, request }) =>
    previewSharedArtifact(params.token, params.artifactId, request),
  ),

  artifactArchive: route(shareOperations.artifactArchive, ({ params, request }) =>
    downloadSharedArtifacts(params.token, request),
  ),
}
