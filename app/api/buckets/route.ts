import { createBucket, listBuckets } from '@/lib/access/buckets/buckets'
import { bucketOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(bucketOperations.list, ({ actor }) => listBuckets(actor))

export const POST = route(bucketOperations.create, async ({ actor, body, answer }) => {
  const bucket = await createBucket(actor, await body())
  return answer(bucket, { headers: { location: `/api/buckets/${bucket.name}` } })
})
