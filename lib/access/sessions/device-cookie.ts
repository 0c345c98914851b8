import { randomUUID } from 'node:crypto'
import { decode, encode } from 'next-auth/jwt'
import { z } from 'zod'
import { readCookie, setCookie } from './session-cookie'
import { sessionSecret } from './session-secret'

/**
 * A device cookie proves that a user has signed in with this browser before (see `sign-in-throttle`). It permits
 * nothing else, and it outlives the session.
 */
const deviceSeconds = 365 * 24 * 60 * 60

/** Derives another key than that of sessions, so that neither cookie can replace the other. */
const salt = 'gpuq device cookie'

const claimsSchema = z.object({ sub: z.uuid(), device: z.uuid() })

/** Returns the `Set-Cookie` header for the browser in which a user has just signed in. */
export async function deviceCookie(userId: string): Promise<string> {
  const token = { sub: userId, device: randomUUID() }
  const value = await encode({ token, secret: await sessionSecret(), maxAge: deviceSeconds, salt })
  return setCookie('device', value, deviceSeconds)
}

/** Reads the device cookie from a `Cookie` header; null if there is none. */
export function readDeviceCookie(header: string | null): string | null {
  return readCookie(header, 'device')
}

/** Returns the id of the device if the cookie was set for this user; null otherwise. */
export async function knownDevice(cookie: string | null, userId: string): Promise<string | null> {
  if (cookie === null) return null
  const claims = await decode({ token: cookie, secret: await sessionSecret(), salt }).catch(() => null)
  const { data } = claimsSchema.safeParse(claims)
  return data?.sub === userId ? data.device : null
}
