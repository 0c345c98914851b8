import { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '@/lib/access/sessions/next-auth'
import { GpuqError } from '@/lib/contract/errors'
import { readLimited } from '@/lib/http/body'
import { route } from '@/lib/http/route'

/** What of next-auth is served. Its log collector is not: it would write what strangers send. */
const actions = new Set(['providers', 'session', 'csrf', 'signin', 'signout', 'callback', 'error'])
const maxBodyBytes = 16 * 1024

const handle = route({ access: 'public' }, async ({ request, url, params }) => {
  const nextauth = [params.nextauth ?? []].flat()
  const [action = ''] = nextauth
  if (!actions.has(action)) throw new GpuqError('not_found', 'There is nothing here.')
  if (action === 'error') return toSignInPage(url.searchParams.get('error'))
  requireAddress(url.searchParams.get('callbackUrl'))
  return NextAuth(await withKnownBody(request), { params: { nextauth } }, await authOptions())
})

/** The error travels as a name and never as a sentence, so that no link can put words on the sign-in page. */
function toSignInPage(error: string | null): Response {
  const name = error !== null && /^[A-Za-z]{1,40}$/.test(error) ? error : 'Default'
  return new Response(null, { status: 302, headers: { location: `/sign-in?error=${name}` } })
}

/** next-auth takes a wrong address for a mistake in its own configuration. */
function requireAddress(callbackUrl: string | null): void {
  if (
    callbackUrl === null ||
    (/^(https?:|\/)/.test(callbackUrl) && URL.canParse(callbackUrl, 'http://localhost'))
  )
    return
  throw new GpuqError('invalid_request', 'The callbackUrl is no address of a page.')
}

/** next-auth reads a body of any size and takes it for well formed: here it is read and looked at first. */
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
    // Answered below, as any other body that is no object.
  }
  throw new GpuqError('invalid_request', 'The body is not a JSON object.')
}

export { handle as GET, handle as POST }
