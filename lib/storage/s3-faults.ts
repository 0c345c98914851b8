import { z } from 'zod'
import { StorageFault, type StorageFaultCode } from './store'

/** The common properties of S3 client errors. */
const errorSchema = z.object({
  name: z.string().default(''),
  code: z.string().optional().catch(undefined),
  message: z.string().default(''),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
})

/** The location of the store, for messages. */
export interface BucketLocation {
  bucket: string
  endpoint?: string
  /** An admin registered it for projects. Otherwise environment variables describe it. */
  registered?: boolean
}

/**
 * Runs an operation of the S3 client, and converts its error to a storage fault that says what to change if
 * possible.
 */
export async function withBucketFaults<Value>(
  place: BucketLocation,
  operation: Promise<Value>,
): Promise<Value> {
  try {
    return await operation
  } catch (cause) {
    throw faultOf(place, cause)
  }
}

function faultOf(place: BucketLocation, cause: unknown): StorageFault {
  const parsed = errorSchema.safeParse(cause)
  const error = parsed.success ? parsed.data : errorSchema.parse({})
  const { code, message } = judge(place, error.name, error.code, error.$metadata?.httpStatusCode)
  return new StorageFault(code, message, { cause })
}

/** Fault codes by S3 error name. Includes names that other S3 servers use. */
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
  { bucket, endpoint = 'the S3 service', registered = false }: BucketLocation,
  name: string,
  code: string | undefined,
  status: number | undefined,
): { code: StorageFaultCode; message: string } {
  const settings = registered ? registration : variables
  if (name === 'NoSuchBucket') {
    return {
      code: 'storage_error',
      message: `There is no bucket "${bucket}". Create it, or correct ${settings.location}.`,
    }
  }
  if (name === 'PermanentRedirect' || name === 'AuthorizationHeaderMalformed') {
    return {
      code: 'storage_error',
      message: `The bucket "${bucket}" is in another region. Set ${settings.region} to that region.`,
    }
  }
  const known = byName[name] ?? (code !== undefined && network.test(code) ? 'unreachable' : undefined)
  const found = known ?? (status === undefined ? undefined : byStatus[status]) ?? 'storage_error'
  return { code: found, message: sentences[found](bucket, endpoint, settings) }
}

/** The names of the settings of a bucket, for messages. */
const variables = {
  location: 'GPUQ_STORAGE',
  region: 'GPUQ_S3_REGION',
  endpoint: 'GPUQ_S3_ENDPOINT',
  keys: 'GPUQ_S3_ACCESS_KEY_ID and GPUQ_S3_SECRET_ACCESS_KEY',
  rights: 'reading, writing, listing and deleting',
}

const registration: typeof variables = {
  location: 'its registration',
  region: 'the region in its registration',
  endpoint: 'the endpoint in its registration',
  keys: 'its keys',
  rights: 'writing and deleting objects',
}

const sentences: Record<
  StorageFaultCode,
  (bucket: string, endpoint: string, settings: typeof variables) => string
> = {
  not_found: () => 'Nothing is stored under this key.',
  exists: () => 'An object is already stored under this key.',
  invalid_key: () => 'This is not a valid object key.',
  no_space: (bucket) => `The bucket "${bucket}" is full. Delete objects, or raise its quota.`,
  denied: (bucket, _, { keys, rights }) =>
    `The bucket "${bucket}" rejects these credentials. Check ${keys}, and that they allow ${rights}.`,
  unreachable: (bucket, address, { endpoint }) =>
    `The bucket "${bucket}" is not reachable at ${address}. Check that the server is running, and ${endpoint}.`,
  storage_error: (bucket) =>
    `The bucket "${bucket}" returned an unexpected error. Check the log of the S3 server.`,
}
