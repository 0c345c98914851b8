import { decode, encode } from 'next-auth/jwt'
import { z } from 'zod'
import { env, publicUrl } from '../../env'
import { sessionSecret } from './session-secret'

/** Duration of a session; requests do not extend it. */
export const sessionSeconds = 14 * 24 * 60 * 60

/**
 * The claims of a session token: the user and the id of the session. The token alone proves nothing; every request
 * checks it against the session's row.
 */
export const sessionClaimsSchema = z.object({ sub: z.uuid(), sid: z.uuid() })
export type SessionClaims = z.infer<typeof sessionClaimsSchema>

/** Whether cookies are restricted to https. */
export function secureCookies(): boolean {
  return env().GPUQ_SECURE_COOKIES ?? publicUrl().startsWith('https:')
}

/** The name of a cookie. With `__Host-`, browsers accept it only from this host over https. */
export function cookieName(name: string): string {
  return `${secureCookies() ? '__Host-' : ''}gpuq-${name}`
}

export const cookieOptions = () =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: secureCookies() }) as const

/** Returns the `Set-Cookie` header that starts a session. */
export async function sessionCookie(claims: SessionClaims): Promise<string> {
  const value = await encode({ token: claims, secret: await sessionSecret(), maxAge: sessionSeconds })
  return setCookie('session', value, sessionSeconds)
}

/** Returns the `Set-Cookie` header that deletes the session cookie. */
export function deletedSessionCookie(): string {
  return setCookie('session', '', 0)
}

/** Returns a `Set-Cookie` header for a cookie that scripts cannot read. */
export function setCookie(name: string, value: string, seconds: number): string {
  const secure = secureCookies() ? '; Secure' : ''
  return `${cookieName(name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Reads the session token from a `Cookie` header; null if there is none. */
export function readSessionCookie(header: string | null): string | null {
  return readCookie(header, 'session')
}

/** Reads one of gpuq's cookies from a `Cookie` header; null if there is none. */
export function readCookie(header: string | null, name: string): string | null {
  const start = `${cookieName(name)}=`
  const pair = header?.split(';').find((part) => part.trimStart().startsWith(start))
  return pair?.trim().slice(start.length) || null
}

/** Verifies a session token. Returns null if it was not signed by this server or has expired. */
export async function readSession(value: string): Promise<SessionClaims | null> {
  const claims = await decode({ token: value, secret: await sessionSecret() }).catch(() => null)
  return sessionClaimsSchema.safeParse(claims).data ?? null
}
