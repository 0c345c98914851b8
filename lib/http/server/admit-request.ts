import type { IncomingMessage } from 'node:http'
import { GpuqError, invalidRequest, notFound } from '../../contract/errors'
import type { AddressRange } from '../../env/address-ranges'
import { setForwarded } from './forwarded'
import { findOperationPath } from './operation-paths'

const pageMethods = ['GET', 'HEAD']
const apiMethods = [...pageMethods, 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const signInMethods = [...pageMethods, 'POST', 'OPTIONS']

/** The API. All other paths are pages and files, which take no body. */
const apiPath = /^\/(?:api\/|(?:gpu|queue|orchestrator)(?:[/?]|$))/

/**
 * Checks a request before Next.js sees it, and sets its forwarded headers. Next.js would answer 500 to some of these
 * requests, and it would keep the body of each request for a page in memory.
 * @throws 400, 404 or 405
 */
export function admitRequest(request: IncomingMessage, trusted: readonly AddressRange[]): void {
  const { method = '', url = '' } = request
  requirePlainSlashes(url)
  if (!methodsOf(url).includes(method)) throw methodNotAllowed(method, url)
  requireUsablePath(url)
  setForwarded(request, trusted)
}

/** The queue API is served where its clients expect it; its routes are those of all others. */
export const apiPathOf = (path: string) =>
  /^\/(?:gpu|queue|orchestrator)(?:\/|$)/.test(path) ? `/api${path}` : path

const formType = 'application/x-www-form-urlencoded'

/**
 * The page of a form that the browser sent before the page's script ran; null if the request is none. Next.js would keep
 * its body in memory, and no page reads one.
 */
export function pageOfEarlyForm({ method, url = '', headers }: IncomingMessage): string | null {
  const isForm = headers['content-type']?.startsWith(formType) ?? false
  // Not `//host`, which would lead to another site.
  const isPage = /^\/(?![/\\])/.test(url) && !apiPath.test(url)
  return method === 'POST' && isForm && isPage ? url : null
}

/** The methods of an address. Next.js would refuse another one without saying why. */
export function methodsOf(url: string): readonly string[] {
  if (!apiPath.test(url)) return pageMethods
  if (url.startsWith('/api/auth/')) return signInMethods
  const path = url.split('?', 1)[0] ?? ''
  return findOperationPath(apiPathOf(path))?.methods ?? apiMethods
}

export function methodNotAllowed(method: string, url: string): GpuqError {
  const allow = methodsOf(url).join(', ')
  const [path = ''] = url.split('?', 1)
  const meant = `/api${path}`
  const isOfApi = !apiPath.test(url) && findOperationPath(meant)?.methods.includes(method)
  const detail = isOfApi
    ? `${path} is a page. Send ${method} to ${meant} instead.`
    : `${method} is not possible here. Use one of ${allow}.`
  return new GpuqError('method_not_allowed', detail, { headers: { allow } })
}

/**
 * An address of the API with a slash too many, as `$SERVER/api/submit` has with a `SERVER` that ends with a slash. A redirect
 * would lose the body of a request, and many clients follow none.
 * @throws 404 that names the address
 */
function requirePlainSlashes(url: string): void {
  const [path = ''] = url.split('?', 1)
  const plain = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  const isMeant = path.startsWith('//') && apiPath.test(plain)
  if (plain === path || !(isMeant || findOperationPath(apiPathOf(plain)))) return
  throw notFound(`The address has a slash too many: use ${plain} instead of ${path}.`)
}

function requireUsablePath(url: string): void {
  if (!url.startsWith('/')) {
    throw invalidRequest('The address in the request line must be a path that starts with "/".')
  }
  const path = decodePath(url.split('?', 1)[0] ?? '')
  // Next.js would resolve them, and serve another path than the one that was checked.
  if (path.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')) {
    throw invalidRequest('The address must not have the segments "." or "..". Write the path without them.')
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw invalidRequest(
      'The address has a percent sign that does not encode UTF-8. Write %25 for a percent sign.',
    )
  }
}
