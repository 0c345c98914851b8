import { z } from 'zod'

/** The name of a bucket, and a prefix for its keys. */
export const bucketPattern =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*)\/?$/

/** The environment variables for the bucket of stored files. Part of `envSchema`. */
export const bucketVariables = {
  GPUQ_STORAGE: z
    .string()
    .regex(bucketPattern, 'must be s3://BUCKET or s3://BUCKET/PREFIX')
    .optional()
    .describe('bucket for stored files, as `s3://BUCKET/PREFIX`; unset: the data directory'),
  GPUQ_S3_ENDPOINT: z.url().optional().describe('address of the S3 server; unset: Amazon S3'),
  GPUQ_S3_REGION: z.string().default('us-east-1').describe('region of the bucket'),
  GPUQ_S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe('access key of the bucket; unset: the AWS SDK finds one, such as a role of the machine'),
  GPUQ_S3_SECRET_ACCESS_KEY: z.string().optional().describe('secret of that access key'),
}
