import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type GpuqError, notFound, unauthenticated } from '../../../contract/errors'
import { findPeerSocket, holdsSocket, ownProcesses } from './peer-socket'

/** The port of the queue API for programs of this machine, as its clients know it. */
export const localPort = 10_000

export interface LocalRules {
  port: number
  /** SHA-256 of the token that requests need, in hex; null: programs of one Unix user need none. */
  tokenHash: string | null
  /** That Unix user; undefined: this system has none. */
  uid: number | undefined
  findPeer?: typeof findPeerSocket
  isOwnSocket?: (inode: string) => boolean
}

/** As whom a request acts: the local owner, or whoever its token names. */
export type LocalRight = 'owner' | 'token'

const paths = [
  /^\/gpu\/(?:status|initialize)$/,
  /^\/queue(?:\/submit)?$/,
  /^\/queue\/[^/]+(?:\/priority)?$/,
  /^\/orchestrator\/(?:start|stop|status|policy)$/,
]
/** What proxies add. Behind one, the client may be on any machine. */
const forwarding =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|x-cluster-client-ip|x-original-.+|true-client-ip|cf-.+)$/

/**
 * Decides whether a request on the local port may act as the local owner, before anything else changes its headers. Cookies
 * do not count there: those of this host are for all of its ports.
 * @throws 404 for a path of the rest of gpuq, 401 otherwise
 */
export function admitLocal(request: IncomingMessage, rules: LocalRules): LocalRight {
  const { headers, headersDistinct, url = '' } = request
  if (!paths.some((path) => path.test(url.split('?', 1)[0] ?? ''))) throw elsewhere(rules)
  delete headers.cookie
  const hosts = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${rules.port}`)
  const [host = '', ...moreHosts] = headersDistinct.host ?? []
  if (moreHosts.length > 0 || !hosts.includes(host.toLowerCase()))
    throw refused(rules, `The Host header must be one of ${hosts.join(', ')}.`)
  const site = headers['sec-fetch-site']
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    throw refused(rules, 'Pages of browsers may not use this port.')
  // Some proxies add no header, but speak HTTP/1.0 to servers.
  const forwarded =
    request.httpVersion === '1.1' ? Object.keys(headers).find((name) => forwarding.test(name)) : 'HTTP/1.0'
  if (forwarded !== undefined)
    throw refused(rules, `${forwarded} shows a proxy, and this port is for programs of this machine only.`)
  if (rules.tokenHash !== null) return requireToken(request, rules.tokenHash)
  if (headers['x-auth-token'] !== undefined || headers.authorization !== undefined) return 'token'
  requireOwner(request, rules)
  return 'owner'
}

function requireToken({ headers, headersDistinct }: IncomingMessage, tokenHash: string): LocalRight {
  const [token = '', ...more] = headersDistinct['x-auth-token'] ?? []
  const given = createHash('sha256').update(Buffer.from(token, 'latin1')).digest()
  if (more.length > 0 || !timingSafeEqual(given, Buffer.from(tokenHash, 'hex')))
    throw unauthenticated(
      'This port needs the token of RESEARCH_AGENT_USER_AUTH_TOKEN, as "X-Auth-Token: YOUR_TOKEN".',
    )
  delete headers['x-auth-token']
  delete headers.authorization
  return 'owner'
}

function requireOwner({ socket }: IncomingMessage, rules: LocalRules): void {
  const { findPeer = findPeerSocket, isOwnSocket = isOfGpuq } = rules
  const peer = findPeer(socket)
  if (peer === null || rules.uid === undefined)
    throw refused(rules, 'gpuq cannot tell which Unix user runs the program that sent this.')
  if (peer.uid !== rules.uid)
    throw refused(
      rules,
      'Without a token, only programs of the Unix user that started gpuq may use this port.',
    )
  // It sends requests to addresses that users choose, such as those of webhooks.
  if (isOwnSocket(peer.inode)) throw refused(rules, 'gpuq itself may not use this port.')
}

/** True if that cannot be told. */
function isOfGpuq(inode: string): boolean {
  try {
    return holdsSocket(ownProcesses(), inode)
  } catch {
    return true
  }
}

function refused(rules: LocalRules, why: string): GpuqError {
  const how =
    rules.tokenHash === null
      ? 'Send a token of gpuq as "X-Auth-Token: YOUR_TOKEN" or "Authorization: Bearer YOUR_TOKEN" instead.'
      : 'Use the usual port of gpuq, with a token of gpuq.'
  return unauthenticated(`${why} ${how}`)
}

function elsewhere({ port }: LocalRules): GpuqError {
  return notFound(
    `Port ${port} has only the queue API: /gpu/status, /queue, /orchestrator/status and what belongs to them. Pages and the other requests are on the usual port of gpuq.`,
  )
}
