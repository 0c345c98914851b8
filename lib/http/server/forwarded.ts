import type { IncomingMessage } from 'node:http'
import { type GpuqError, invalidRequest } from '../../contract/errors'
import { type AddressRange, isInRanges, parseAddress } from '../../env/address-ranges'
import { isAuthority, ownAuthority } from './authority'

/**
 * Headers from outside that Next.js or gpuq would take for their own, or for a proxy's. The scripts of the pages send only
 * `next-url` and `next-router-…`.
 */
const internalHeader =
  /^(?:x-(?:forwarded|middleware|invoke|now|vercel|next|nextjs|prerender|action)-|next-(?!url$|router-))/
const internalHeaders = ['forwarded', 'x-real-ip', 'x-matched-path']

/**
 * Replaces everything that the headers say about the way of the request by what is known: `x-forwarded-for` is one
 * address, `x-forwarded-host` and `x-forwarded-proto` are the address that links start with. What a proxy says counts
 * only if it is trusted.
 * @throws 400 if the address is malformed.
 */
export function setForwarded(request: IncomingMessage, trusted: readonly AddressRange[]): void {
  const { headers, socket } = request
  // If there are several lines, Node.js keeps the first one, and a proxy in front may keep another.
  if ((request.headersDistinct.host?.length ?? 0) > 1) throw malformed('Host')
  // HTTP/1.0 has no such header.
  const isMissing = headers.host === undefined && request.httpVersion !== '1.0'
  if (isMissing || (headers.host !== undefined && !isAuthority(headers.host))) throw malformed('Host')
  const forwardedHost = lastOf(headers['x-forwarded-host'])
  if (forwardedHost !== undefined && !isAuthority(forwardedHost)) throw malformed('X-Forwarded-Host')
  const forwardedFor = listOf(headers['x-forwarded-for'])
  const forwardedProto = lastOf(headers['x-forwarded-proto'])
  for (const name of Object.keys(headers)) {
    if (internalHeader.test(name) || internalHeaders.includes(name)) delete headers[name]
  }
  const peer = socket.remoteAddress ?? ''
  const byProxy = isTrusted(peer, trusted)
  headers['x-forwarded-for'] = byProxy ? clientBehind(peer, forwardedFor, trusted) : normalized(peer)
  headers['x-forwarded-proto'] = byProxy && forwardedProto === 'https' ? 'https' : 'http'
  headers['x-forwarded-host'] = (byProxy && forwardedHost) || ownAuthority(headers.host, socket)
}

/**
 * The client of a chain of proxies. Each proxy appends the address that it was called from. So the last one that is no
 * trusted proxy is the client, and a client can write only what is before it.
 */
function clientBehind(peer: string, chain: readonly string[], trusted: readonly AddressRange[]): string {
  let client = peer
  for (const hop of chain.toReversed()) {
    if (parseAddress(hop) === null) break
    client = hop
    if (!isTrusted(hop, trusted)) break
  }
  return normalized(client)
}

function isTrusted(address: string, trusted: readonly AddressRange[]): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && isInRanges(parsed, trusted)
}

function normalized(address: string): string {
  return parseAddress(address)?.toString() ?? 'unknown'
}

function listOf(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** The last entry is what the nearest proxy has written. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return listOf(header).at(-1)
}

function malformed(header: string): GpuqError {
  return invalidRequest(`The ${header} header is not one host with an optional port.`)
}
