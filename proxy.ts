import { type NextRequest, NextResponse } from 'next/server'
import { GpuqError } from './lib/contract/errors'
import { problemResponse } from './lib/http/problem'

/** Next.js would answer 500 to such an address. */
const undecodableAddress = new GpuqError(
  'invalid_request',
  'The address has a percent sign that does not encode UTF-8. Write %25 for a percent sign.',
)

/**
 * Gives each page a content security policy with its own nonce. If a page had a cross-site scripting bug, the output of
 * a job or the name of a user could still not run as a script. This does not check rights.
 */
export function proxy(request: NextRequest): Response {
  if (!isDecodable(request.nextUrl.pathname)) return problemResponse(undecodableAddress)
  const nonce = crypto.randomUUID()
  const development = process.env.NODE_ENV === 'development'
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    // Editors and charts set inline styles. A style cannot run code.
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

export const config = {
  matcher: [
    { source: '/((?!api/|metrics|healthz|readyz|_next/static|_next/image|icon.svg|favicon.ico).*)' },
    { source: '/(.*%.*)' },
  ],
}
