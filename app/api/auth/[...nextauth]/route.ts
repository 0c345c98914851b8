import { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { deviceCookie } from '@/lib/access/sessions/device-cookie'
import { authOptions } from '@/lib/access/sessions/next-auth'
import { makeLocationRelative } from '@/lib/access/sessions/relative-location'
import { signInClient } from '@/lib/access/sessions/session-client'
import { invalidRequest, notFound } from '@/lib/contract/errors'
import { readLimited } from '@/lib/http/body'
import { route } from '@/lib/http/route'

/** The next-auth actions that gpuq serves. Its `_log` action would log text from unauthenticated clients. */
const actions = new Set(['providers', 'session', 'csrf', 'signin', 'signout', 'callback', 'error'])
const maxBodyBytes = 16 * 1024

const handle = route({ access: 'public' }, async ({ request, url, params }) => {
  const nextauth = [params.nextauth ?? []].flat()
  const [action = ''] = nextauth
  if (!actions.has(action)) throw notFound('This sign-in action does not exist. Open /sign-in.')
  if (action === 'error') return toSignInPage(url.searchParams.get('error'))
  requireAddress(url.searchParams.get('callbackUrl'))
  const signedIn: string[] = []
  const options = await authOptions(signInClient(request.headers), (userId) => signedIn.push(userId))
  const response: Response = await NextAuth(await withKnownBody(request), { params: { nextauth } }, options)
  if (response.status >= 400 && response.headers.get('content-type')?.startsWith('text/plain')) {
    // next-auth refuses what it does not support in text for its developers.
    throw invalidRequest('This sign-in action does not support the request. Open /sign-in.')
  }
  makeLocationRelative(response.headers, request.headers)
  for (const userId of signedIn) response.headers.append('set-cookie', await deviceCookie(userId))
  return response
})

/** The address has an error code and never a sentence, so that a link cannot put text on the sign-in page. */
function toSignInPage(error: string | null): Response {
  const name = error !== null && /^[A-Za-z]{1,40}$/.test(error) ? error : 'Default'
  return new Response(null, { status: 302, headers: { location: `/sign-in?error=${name}` } })
}

/** next-auth reports an invalid address as an error of its own configuration. */
function requireAddress(callbackUrl: string | null): void {
  if (
    callbackUrl === null ||
    (/^(https?:|\/)/.test(callbackUrl) && URL.canParse(callbackUrl, 'http://localhost'))
  )
    return
  throw invalidRequest('The callbackUrl is not the address of a page. Use a path or an http(s) URL.')
}

/** next-auth accepts a body of any size and does not check its syntax. So this reads and checks the body first. */
async function withKnownBody(request: Request): Promise<NextRequest> {
  const { url, method, headers } = request
  if (method !== 'POST') return new NextRequest(url, { method, headers })
  const tooLarge = 'The body is larger than 16 KiB.'
  const body = (await readLimited(request, maxBodyBytes, tooLarge)).toString('utf8')
  if (headers.get('content-type')?.includes('application/json')) requireObject(body)
  return new NextRequest(url, { method, headers, body })
}

function requireObject(body: string): void {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null) return
  } catch {
    // The error below covers invalid JSON too.
  }
  throw invalidRequest('The body is not a JSON object.')
}

export { handle as GET, handle as POST }
