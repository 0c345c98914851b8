import { queryOptions } from '@tanstack/react-query'
import type { ShareParts } from '@/lib/shares/contract'
import { api, changing } from '../queries/queries'

const resource = ['shares'] as const

/** The read-only links to a job. */
export const sharesQuery = (id: string) =>
  queryOptions({ queryKey: [...resource, id], queryFn: ({ signal }) => api.shares.list(id, signal) })

interface NewShare extends ShareParts {
  id: string
  expires_in_days: number
}

export const createShare = changing(({ id, ...body }: NewShare) => api.shares.create(id, body), resource)
export const revokeShare = changing(
  ({ id, shareId }: { id: string; shareId: string }) => api.shares.revoke(id, shareId),
  resource,
)
