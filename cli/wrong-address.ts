import type { ProblemError } from '@/lib/http/client/problem'

/** The first segments of the paths of gpuq's own pages and of its API. */
export const ownSegments = [
  'accounting',
  'admin',
  'api',
  'cluster',
  'competitions',
  'docs',
  'experiments',
  'groups',
  'invitations',
  'jobs',
  'join',
  'projects',
  'settings',
  'shared',
  'sign-in',
  'submit',
  'tokens',
] as const

/**
 * What to change in the address of a server, if an answer shows that gpuq is not at this path: a page, or an API without the
 * operation. Null: the address may be right.
 */
export function explainWrongAddress(error: ProblemError, server: string): string | null {
  const { origin, pathname } = new URL(server)
  const segments = pathname.split('/').filter((segment) => segment !== '')
  if (segments.length === 0 || !isFromElsewhere(error)) return null
  const own = segments.findIndex((segment) => (ownSegments as readonly string[]).includes(segment))
  const what = 'An address has only scheme, host and port, and the path below which gpuq is, if it has one.'
  if (own === -1) return `${server} is not the address of a gpuq server. ${what}`
  const address = [origin, ...segments.slice(0, own)].join('/')
  const kind = segments[own] === 'api' ? "gpuq's API" : "one of gpuq's pages"
  return `${server} is not the address of a gpuq server, but of ${kind}. ${what} Use ${address}.`
}

/** Whether a page answered, or an API without the operation. */
function isFromElsewhere({ code, status, message }: ProblemError): boolean {
  if (status === 405) return true
  if (code === 'unexpected') return status === 404 || (status >= 200 && status < 300)
  return status === 404 && message.startsWith('No operation has the path')
}
