import { queryOptions } from '@tanstack/react-query'
import type { CreateJoinLink } from '@/lib/join-links/contract'
import { api, changing } from '../queries/queries'

const resource = ['join-links'] as const

/** The join links of a project. */
export const joinLinksQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...resource, projectId],
    queryFn: ({ signal }) => api.joinLinks.list(projectId, signal),
  })

export const createJoinLink = changing(
  ({ projectId, ...body }: CreateJoinLink & { projectId: string }) => api.joinLinks.create(projectId, body),
  resource,
)
export const revokeJoinLink = changing(
  ({ projectId, linkId }: { projectId: string; linkId: string }) => api.joinLinks.revoke(projectId, linkId),
  resource,
)
