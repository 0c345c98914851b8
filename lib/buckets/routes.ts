import { route } from '../http/route'
import { changeBucketKeys, createBucket, deleteBucket, listBuckets } from './buckets'
import { bucketOperations } from './operations'

export const bucketRoutes = {
  list: route(bucketOperations.list, ({ actor }) => listBuckets(actor)),

  create: route(bucketOperations.create, async ({ actor, body, answer }) => {
    const bucket = await createBucket(actor, await body())
    return answer(bucket, { headers: { location: `/api/buckets/${bucket.name}` } })
  }),

  update: route(bucketOperations.update, async ({ actor, params, body }) =>
    changeBucketKeys(actor, params.name, await body()),
  ),

  remove: route(bucketOperations.remove, ({ actor, params }) => deleteBucket(actor, params.name)),
}
