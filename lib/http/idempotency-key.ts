import { GpuqError } from '../contract/errors'

const keyPattern = /^[\x21-\x7e]{1,255}$/

/** The key that makes a repeated request the same job; null where there is none. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null || keyPattern.test(key)) return key
  throw new GpuqError(
    'invalid_request',
    'An Idempotency-Key is 1 to 255 printable ASCII characters without spaces.',
  )
}
