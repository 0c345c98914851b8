import { queryOptions } from '@tanstack/react-query'
import { api, changing } from './queries'

const resource = ['download-links'] as const

/** The links with which others download files of a job. */
export const downloadLinksQuery = (id: string) =>
  queryOptions({ queryKey: [...resource, id], queryFn: ({ signal }) => api.jobs.links(id, signal) })

export const revokeDownloadLink = changing(
  ({ id, linkId }: { id: string; linkId: string }) => api.jobs.revokeLink(id, linkId),
  resource,
)
