import { artifactOperations } from '../../contract/operations/artifacts'
import { route } from '../../http/route'
import { previewArtifact } from '../../jobs/downloads/artifact-preview'
import { downloadArtifacts, listArtifacts } from '../../jobs/downloads/artifacts'
import { downloadArtifact } from '../../jobs/downloads/download-artifact'
import { createLink, listLinks, revokeLink } from '../../jobs/downloads/download-links'
import { followLink } from '../../jobs/downloads/follow-link'
import { followSignedLink } from '../../jobs/downloads/signed-links'
import { downloadWorkingFile, listWorkingFiles } from '../../jobs/downloads/working-files'
import { findChangeableJob, findVisibleJob } from '../../jobs/read/job-visibility'

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

  workingFiles: route(artifactOperations.workingFiles, async ({ query, params, actor }) =>
    listWorkingFiles(await findVisibleJob(actor, params.id), query.after),
  ),

  workingFile: route(artifactOperations.workingFile, async ({ params, actor, request }) =>
    downloadWorkingFile(await findVisibleJob(actor, params.id), params.fileId, request.headers),
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
