import { queryOptions } from '@tanstack/react-query'
import type { JobApi } from '../queries/job-api'
import { api, changing, keys } from '../queries/queries'

/** The files in /results. They are complete once the job has ended. */
export const jobArtifactsQuery = (jobApi: JobApi, id: string, ended: boolean) =>
  queryOptions({
    queryKey: [...keys.jobs, 'artifacts', id, ended],
    queryFn: ({ signal }) => jobApi.artifacts(id, signal),
  })

export const artifactPreviewQuery = (jobApi: JobApi, id: string, artifactId: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'artifacts', id, 'preview', artifactId],
    queryFn: ({ signal }) => jobApi.artifactPreview(id, artifactId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

const linkResource = ['download-links'] as const

/** The links with which others download files of a job. */
export const downloadLinksQuery = (id: string) =>
  queryOptions({ queryKey: [...linkResource, id], queryFn: ({ signal }) => api.jobs.links(id, signal) })

export const revokeDownloadLink = changing(
  ({ id, linkId }: { id: string; linkId: string }) => api.jobs.revokeLink(id, linkId),
  linkResource,
)
