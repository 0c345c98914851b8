import { clientAddress } from '../client-address'

/** The client that signs in, as its sessions show it. */
export interface SessionClient {
  address: string
  userAgent: string
}

/** Long enough to tell browsers and systems apart. */
const userAgentLength = 200

/** Describes the client of a request. */
export function sessionClient(headers: Headers): SessionClient {
  const userAgent = (headers.get('user-agent') ?? '').slice(0, userAgentLength)
  return { address: clientAddress(headers), userAgent }
}
