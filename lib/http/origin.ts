import { GpuqError } from '../contract/errors'
import { publicUrl } from '../env'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a change that a foreign page asks for with this browser's session. Browsers say where a request comes from
 * in `Sec-Fetch-Site` and `Origin`; a request that says neither did not come from a page.
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
  throw new GpuqError('forbidden', 'This change was asked for by another site, and was not made.')
}

function isOwnOrigin(origin: string, request: Request): boolean {
  return (
    origin === new URL(publicUrl()).origin ||
    origin === `http://${request.headers.get('host')}` ||
    origin === `https://${request.headers.get('host')}`
  )
}
