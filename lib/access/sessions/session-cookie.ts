import { decode, encode } from 'next-auth/jwt'
import { z } from 'zod'
import { env, publicUrl } from '../../env'
import { sessionSecret } from './session-secret'

/** How long a session lasts; looking at pages does not make it longer. */
export const sessionSeconds = 14 * 24 * 60 * 60

/**
 * What a session's token holds: who, and the user's session epoch when it began. It proves nothing by itself: every
 * request holds it against the user's row.
 */
export const sessionClaimsSchema = z.object({ sub: z.uuid(), epoch: z.number().int() })
export type SessionClaims = z.infer<typeof sessionClaimsSchema>

/** Whether cookies are for https alone. */
export function secureCookies(): boolean {
  return env().GPUQ_SECURE_COOKIES ?? publicUrl().startsWith('https:')
}

/** A cookie's name: with `__Host-`, a browser takes it only from this very host over https. */
export function cookieName(name: string): string {
  return `${secureCookies() ? '__Host-' : ''}gpuq-${name}`
}

export const cookieOptions = () =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: secureCookies() }) as const

/** A `Set-Cookie` line that begins a session, or goes on with it under a new epoch. */
export async function sessionCookie(claims: SessionClaims): Promise<string> {
  const value = await encode({ token: claims, secret: await sessionSecret(), maxAge: sessionSeconds })
  const secure = secureCookies() ? '; Secure' : ''
  return `${cookieName('session')}=${value}; Path=/; Max-Age=${sessionSeconds}; HttpOnly; SameSite=Lax${secure}`
}

/** The session that a `Cookie` header carries, or null. */
export function sessionOfCookies(header: string | null): string | null {
  const start = `${cookieName('session')}=`
  const pair = header?.split(';').find((part) => part.trimStart().startsWith(start))
  return pair?.trim().slice(start.length) || null
}

/** What a session's token says, or null when this server did not make it or its time is over. */
export async function readSession(value: string): Promise<SessionClaims | null> {
  const claims = await decode({ token: value, secret: await sessionSecret() }).catch(() => null)
  return sessionClaimsSchema.safeParse(claims).data ?? null
}
