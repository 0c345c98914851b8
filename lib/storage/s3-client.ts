import type { S3 } from '@aws-sdk/client-s3'

/** A bucket on any S3-compatible server. */
export interface BucketAddress {
  bucket: string
  /** Default: Amazon S3. If set, bucket names are part of the path, as most other servers require. */
  endpoint?: string
  region: string
  /** Default: the credentials that the SDK finds, for example in the environment or from the machine's role. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** Connects to a bucket. Loads the SDK on first use, because loading is slow and most installations do not need it. */
export async function connectS3({
  endpoint,
  region,
  credentials,
}: Omit<BucketAddress, 'bucket'>): Promise<S3> {
  const { S3: Client } = await import('@aws-sdk/client-s3')
  return new Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    // Many S3-compatible servers do not support the SDK's newer checksums. gpuq has its own checksum of the whole
    // object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      // Limits the time until the response begins. The body may be read slowly, but must be read or destroyed.
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      socketTimeout: 600_000,
      httpAgent: { maxSockets: 256 },
      httpsAgent: { maxSockets: 256 },
    },
  })
}
