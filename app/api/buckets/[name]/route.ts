import { changeBucketKeys, deleteBucket } from '@/lib/access/buckets/buckets'
import { bucketOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const PATCH = route(bucketOperations.update, async ({ actor, params, body }) =>
  changeBucketKeys(actor, params.name, await body()),
)

export const DELETE = route(bucketOperations.remove, ({ actor, params }) => deleteBucket(actor, params.name))
