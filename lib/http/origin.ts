import { forbidden } from '../contract/errors'
import { env, publicUrl } from '../env'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A request with such a method changes nothing. */
export const isSafeMethod = (method: string) => safeMethods.has(method)

/**
 * Refuses a change that a page of another site requests with this browser's session. Browsers send the origin of a
 * request in `Sec-Fetch-Site` and `Origin`. A request with neither did not come from a page.
 */
export function requireSameOrigin(request: Request): void {
  if (isSafeMethod(request.method)) return
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  if (
    site !== null
      ? site === 'same-origin' || site === 'none'
      : origin === null || isOwnOrigin(origin, request)
  )
    return
  throw forbidden('gpuq refused this change, because another site requested it. Make it on a page of gpuq.')
}

function isOwnOrigin(origin: string, request: Request): boolean {
  return (
    origin === new URL(publicUrl()).origin ||
    origin === siteOrigin(request) ||
    origin === `http://${request.headers.get('host')}` ||
    origin === `https://${request.headers.get('host')}`
  )
}

/**
 * The start of links in responses: the public address if one is set, otherwise the address that the web server has set
 * in these headers. A trusted proxy named it, or it is where the web server listens.
 */
export function siteOrigin({ headers }: Pick<Request, 'headers'>): string {
  const { GPUQ_URL } = env()
  const host = headers.get('x-forwarded-host')
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const named = `${scheme}://${host}`
  const known = GPUQ_URL === undefined && host !== null && URL.canParse(named)
  return new URL(known ? named : publicUrl()).origin
}
