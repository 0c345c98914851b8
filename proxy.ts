import { type NextRequest, NextResponse } from 'next/server'

/**
 * Gives each page a content security policy with its own nonce. If a page had a cross-site scripting bug, the output of
 * a job or the name of a user could still not run as a script. This does not check rights.
 */
export function proxy(request: NextRequest): Response {
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
    // A worker hashes and unpacks the files of a directory.
    "worker-src 'self'",
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

/** Not the API: Next.js keeps the body of each request that goes through here in memory. */
export const config = {
  matcher: [
    '/((?!api/|(?:gpu|queue|orchestrator)(?:/|$)|metrics|healthz|readyz|_next/static|icon.svg|favicon.ico).*)',
  ],
}
