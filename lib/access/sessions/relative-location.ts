import { env } from '../../env'

/**
 * Makes a redirect to this server a path. Without GPUQ_URL, next-auth knows only the address of the machine, which may
 * not be the name that the browser uses. A path stays at that name, and no header of the request decides it.
 */
export function makeLocationRelative(response: Headers, request: Headers): void {
  const location = response.get('location')
  if (env().GPUQ_URL || location === null || !URL.canParse(location)) return
  const { origin, pathname, search, hash } = new URL(location)
  const own = `${request.get('x-forwarded-proto')}://${request.get('x-forwarded-host')}`
  if (origin === own) response.set('location', `${pathname}${search}${hash}`)
}
