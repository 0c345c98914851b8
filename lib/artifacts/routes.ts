import { route } from '../http/route'
import { findChangeableJob, findVisibleJob } from '../jobs/read/job-visibility'
import { listArtifacts } from './artifacts'
import { downloadArtifact, downloadArtifacts } from './download-artifacts'
import { createLink, listLinks, revokeLink } from './download-links'
import { downloadFilesOfJobs } from './files-of-jobs'
import { followLink } from './follow-link'
import { artifactOperations } from './operations'
import { previewArtifact } from './preview-artifact'
import { followSignedLink } from './signed-links'

export const artifactRoutes = {
  artifacts: route(artifactOperations.artifacts, async ({ params, actor }) =>
    listArtifacts(await findVisibleJob(actor, params.id)),
  ),

  artifact: route(artifactOperations.artifact, async ({ query, params, actor, request }) =>
    downloadArtifact(await findVisibleJob(actor, params.id), params.artifactId, query.as, request.headers),
  ),

  artifactPreview: route(artifactOperations.artifactPreview, async ({ params, actor }) =>
    previewArtifact(await findVisibleJob(actor, params.id), params.artifactId),
  ),

  artifactArchive: route(artifactOperations.artifactArchive, async ({ params, actor }) => {
    const job = await findVisibleJob(actor, params.id)
    return downloadArtifacts(job, { name: `${job.id}.tar` })
  }),

  filesOfJobs: route(artifactOperations.filesOfJobs, ({ actor, query }) =>
    downloadFilesOfJobs(actor, query.ids),
  ),

  links: route(artifactOperations.links, async ({ params, actor }) =>
    listLinks(await findChangeableJob(actor, params.id)),
  ),

  link: route(artifactOperations.link, async ({ params, actor, body }) => {
    const job = await findChangeableJob(actor, params.id)
    return createLink(actor, job, await body())
  }),

  revokeLink: route(artifactOperations.revokeLink, async ({ params, actor }) =>
    revokeLink(actor, await findChangeableJob(actor, params.id), params.linkId),
  ),

  /** Public, because the secret of the link proves the right. */
  followLink: route(artifactOperations.followLink, ({ query: { link, ...claims }, request }) =>
    link === undefined
      ? followSignedLink(claims, new Date(), request.headers)
      : followLink(link, request.headers),
  ),
}
