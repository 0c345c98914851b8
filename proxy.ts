import { type NextRequest, NextResponse } from 'next/server'
import { GpuqError } from './lib/contract/errors'
import { problemResponse } from './lib/http/problem'

/**
 * Gives each page a content security policy with a nonce of its own: what a job printed, or a name that somebody
 * chose, could not run as a script even if a page showed it wrongly. Rights are not decided here.
 */
export function proxy(request: NextRequest): Response {
  if (!isDecodable(request.nextUrl.pathname)) return problemResponse(undecodable())
  const nonce = crypto.randomUUID()
  const development = process.env.NODE_ENV === 'development'
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    // Editors and charts set styles from scripts; a style can run nothing.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  headers.set('content-security-policy', policy)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  return response
}

function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname)
    return true
  } catch {
    return false
  }
}

/** Next itself would answer 500 to such an address. */
function undecodable(): GpuqError {
  return new GpuqError(
    'invalid_request',
    'The address holds a % that encodes no UTF-8. Write %25 for a percent sign.',
  )
}

export const config = {
  matcher: [
    { source: '/((?!api/|metrics|healthz|readyz|_next/static|_next/image|icon.svg|favicon.ico).*)' },
    { source: '/(.*%.*)' },
  ],
}
