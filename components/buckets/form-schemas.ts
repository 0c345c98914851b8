import { createBucketSchema } from '@/lib/buckets/contract'
import { optionalText } from '../shell/form-values'

/* The schema of a form, which loads it when it is submitted: zod is large. */

const { region } = createBucketSchema.shape
export const newBucketSchema = createBucketSchema.extend({
  endpoint: optionalText(500),
  region: region.unwrap(),
})
