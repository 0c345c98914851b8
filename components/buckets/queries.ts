import { queryOptions } from '@tanstack/react-query'
import type { UpdateBucket } from '@/lib/buckets/contract'
import { api, changing, keys } from '../queries/queries'

const resource = ['buckets'] as const

/** The registered buckets, for admins. */
export const bucketsQuery = () =>
  queryOptions({ queryKey: resource, queryFn: ({ signal }) => api.buckets.list(signal) })

export const createBucket = changing(api.buckets.create, resource)
export const changeBucketKeys = changing(
  ({ name, ...body }: UpdateBucket & { name: string }) => api.buckets.update(name, body),
  resource,
)
export const deleteBucket = changing((name: string) => api.buckets.remove(name), resource, keys.projects)
