import { z } from 'zod'
import { StorageFault, type StorageFaultCode } from './store'

/** What errors of the S3 client have in common, as far as they are looked at. */
const errorSchema = z.object({
  name: z.string().default(''),
  code: z.string().optional().catch(undefined),
  message: z.string().default(''),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
})

/** Where the store is, for its messages. */
export interface Place {
  bucket: string
  endpoint?: string
}

/** Runs one operation of the client, and turns what it fails with into the store's words: what to change, where it can be said. */
export async function inBucket<Value>(place: Place, operation: Promise<Value>): Promise<Value> {
  try {
    return await operation
  } catch (cause) {
    throw faultOf(place, cause)
  }
}

function faultOf(place: Place, cause: unknown): StorageFault {
  const parsed = errorSchema.safeParse(cause)
  const error = parsed.success ? parsed.data : errorSchema.parse({})
  const { code, message: says } = judge(place, error.name, error.code, error.$metadata?.httpStatusCode)
  return new StorageFault(code, says, { cause })
}

/** What S3's own error names mean to us. Servers that speak S3 use these and some of their own. */
const byName: Record<string, StorageFaultCode> = {
  NoSuchKey: 'not_found',
  NotFound: 'not_found',
  PreconditionFailed: 'exists',
  ConditionalRequestConflict: 'exists',
  AccessDenied: 'denied',
  Forbidden: 'denied',
  InvalidAccessKeyId: 'denied',
  SignatureDoesNotMatch: 'denied',
  ExpiredToken: 'denied',
  InvalidToken: 'denied',
  CredentialsProviderError: 'denied',
  QuotaExceeded: 'no_space',
  XMinioStorageFull: 'no_space',
  XMinioAdminBucketQuotaExceeded: 'no_space',
  TimeoutError: 'unreachable',
  SlowDown: 'unreachable',
  ServiceUnavailable: 'unreachable',
  InternalError: 'unreachable',
}

const byStatus: Record<number, StorageFaultCode> = {
  401: 'denied',
  403: 'denied',
  404: 'not_found',
  412: 'exists',
  500: 'unreachable',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
  507: 'no_space',
}

const network =
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|ERR_SSL|ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/

function judge(
  { bucket, endpoint }: Place,
  name: string,
  code: string | undefined,
  status: number | undefined,
): { code: StorageFaultCode; message: string } {
  if (name === 'NoSuchBucket') {
    return {
      code: 'storage_error',
      message: `There is no bucket "${bucket}". Create it, or correct GPUQ_STORAGE.`,
    }
  }
  if (name === 'PermanentRedirect' || name === 'AuthorizationHeaderMalformed') {
    return {
      code: 'storage_error',
      message: `The bucket "${bucket}" is in another region. Set GPUQ_S3_REGION to it.`,
    }
  }
  const known = byName[name] ?? (code !== undefined && network.test(code) ? 'unreachable' : undefined)
  const found = known ?? (status === undefined ? undefined : byStatus[status]) ?? 'storage_error'
  return { code: found, message: sentences[found](bucket, endpoint ?? 'the S3 service') }
}

const sentences: Record<StorageFaultCode, (bucket: string, endpoint: string) => string> = {
  not_found: () => 'Nothing is stored under this key.',
  exists: () => 'Something is stored under this key already.',
  invalid_key: () => 'This cannot be the key of a stored object.',
  no_space: (bucket) => `The bucket "${bucket}" is full.`,
  denied: (bucket) =>
    `The bucket "${bucket}" refuses these credentials. Check GPUQ_S3_ACCESS_KEY_ID and GPUQ_S3_SECRET_ACCESS_KEY, and that they may read, write, list and delete there.`,
  unreachable: (bucket, endpoint) =>
    `The bucket "${bucket}" cannot be reached at ${endpoint}. Check that it runs, and GPUQ_S3_ENDPOINT.`,
  storage_error: (bucket) => `The bucket "${bucket}" does not work as it should.`,
}
