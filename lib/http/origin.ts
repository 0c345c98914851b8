import { GpuqError } from '../contract/errors'
import { env, publicUrl } from '../env'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a change that a page of another site requests with this browser's session. Browsers send the origin of a
 * request in `Sec-Fetch-Site` and `Origin`. A request with neither did not come from a page.
 */
export function requireSameOrigin(request: Request): void {
  if (safeMethods.has(request.method)) return
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  if (
    site !== null
      ? site === 'same-origin' || site === 'none'
      : origin === null || isOwnOrigin(origin, request)
  )
    return
  throw new GpuqError(
    'forbidden',
    'gpuq refused this change, because another site requested it. Make it on a page of gpuq.',
  )
}

function isOwnOrigin(origin: string, request: Request): boolean {
  return (
    origin === new URL(publicUrl()).origin ||
    origin === `http://${request.headers.get('host')}` ||
    origin === `https://${request.headers.get('host')}`
  )
}

/**
 * The address at which the caller reached gpuq, as the start of links: the public address if one is set, otherwise the
 * host that the request names. The server does not know its address behind a proxy or a second name.
 */
export function siteOrigin(request: Request): string {
  const configured = env().GPUQ_URL
  if (configured) return new URL(configured).origin
  const { headers } = request
  const host = first(headers.get('x-forwarded-host')) ?? headers.get('host') ?? new URL(request.url).host
  const scheme = first(headers.get('x-forwarded-proto')) === 'https' ? 'https' : 'http'
  const named = `${scheme}://${host}`
  return URL.canParse(named) ? new URL(named).origin : new URL(request.url).origin
}

function first(list: string | null): string | null {
  return list?.split(',')[0]?.trim() || null
}
