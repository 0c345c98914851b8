import { clientAddress } from '../client-address'
import { readDeviceCookie } from './device-cookie'
import type { AttemptClient } from './sign-in-throttle'

/** The client that signs in, as its sessions show it. */
export interface SessionClient {
  address: string
  userAgent: string
}

/** Long enough for every address, and to tell browsers and systems apart. Clients choose what they send. */
const [addressLength, userAgentLength] = [64, 200]

/** The client that sends a password. */
export type SignInClient = SessionClient & AttemptClient

/** Describes the client of a request. */
export function signInClient(headers: Headers): SignInClient {
  return {
    address: clientAddress(headers).slice(0, addressLength),
    userAgent: (headers.get('user-agent') ?? '').slice(0, userAgentLength),
    deviceCookie: readDeviceCookie(headers.get('cookie')),
  }
}
