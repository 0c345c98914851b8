import * as z from 'zod'
import { time } from '../contract/access/access'
import { idSchema } from '../contract/jobs'

const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .max(500)
  .refine((text) => !URL.canParse(text) || new URL(text).username === '', 'must not contain a user name')
  .transform((text) => text.replace(/\/+$/, ''))

const key = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must be one word without spaces')

const keys = {
  access_key_id: key,
  secret_access_key: key.describe('stored encrypted; no response contains it'),
}

/** A bucket that an admin registered for projects. Its keys are in no response. */
export const bucketSchema = z.object({
  name: idSchema,
  endpoint: z.string().nullable().describe('address of the S3 server; null: Amazon S3'),
  region: z.string(),
  bucket: z.string().describe('its name on the S3 server'),
  projects: z.array(z.string()).describe('the projects that use it, as OWNER/PROJECT'),
  created_at: time,
  keys_changed_at: time,
})

export const createBucketSchema = z.strictObject({
  name: idSchema,
  endpoint: webAddress.nullable().default(null).describe('null: Amazon S3'),
  region: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a region, such as us-east-1')
    .default('us-east-1'),
  bucket: z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/, 'must be the name of a bucket, without s3:// and slashes'),
  ...keys,
})

/** `PATCH /api/buckets/{name}`: replaces the keys. */
export const updateBucketSchema = z.strictObject(keys)

export type Bucket = z.infer<typeof bucketSchema>
export type CreateBucket = z.input<typeof createBucketSchema>
export type UpdateBucket = z.input<typeof updateBucketSchema>
