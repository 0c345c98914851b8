import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { unlessAborted } from '../async/sleep'
import { timeLimit } from '../async/time-limit'
import { errorCode } from '../contract/error-code'
import { isPublicAddress } from './public-address'

export interface Address {
  address: string
  family: number
}

/** A request to an address that a user chose. */
export interface OutgoingRequest {
  url: string
  method?: 'POST' | 'PUT'
  headers?: Record<string, string>
  body: string
}

export interface RequestOptions {
  /** Whether addresses of this host and of private networks are allowed. */
  allowPrivate: boolean
  timeoutMs: number
  signal: AbortSignal
  /** Resolves all addresses of a name. */
  resolve?: (hostname: string) => Promise<Address[]>
}

/** The answer of a server. */
export interface Answer {
  status: number
  /** Seconds in the header Retry-After; null: none. */
  retryAfterS: number | null
  /** The first bytes of the body. */
  text: string
}

/** `refused`: nothing must ever be sent to this address. */
type Sent = Answer | { problem: string; refused: boolean }

const mostAnswerBytes = 512

/**
 * Sends JSON to a URL that a user chose. Resolves the name once, checks every address, and connects to a checked
 * one, so a name that changes its address in between (DNS rebinding) has no effect. Follows no redirects, reads only
 * the beginning of the answer, and has one time limit.
 */
export async function sendRequest(request: OutgoingRequest, options: RequestOptions): Promise<Sent> {
  const signal = timeLimit(options.timeoutMs, options.signal)
  try {
    const target = new URL(request.url)
    const addresses = await withinTime(findAddresses(target, options), signal)
    if (!options.allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
      const problem = 'The address is on a private network. An admin can allow this with GPUQ_NOTIFY_PRIVATE.'
      return { problem, refused: true }
    }
    return await send(target, addresses, request, signal)
  } catch (error) {
    return { problem: explain(error, signal), refused: false }
  }
}

async function findAddresses(
  { hostname }: URL,
  { resolve = resolveAll }: RequestOptions,
): Promise<Address[]> {
  const literal = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(literal)
  if (family !== 0) return [{ address: literal, family }]
  const addresses = await resolve(hostname)
  if (addresses.length === 0) throw new Error('The name has no address.')
  return addresses
}

const resolveAll = (hostname: string) => lookup(hostname, { all: true, verbatim: true })

function send(
  url: URL,
  addresses: Address[],
  { method = 'POST', headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const open = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = open(url, {
      method,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'gpuq',
        ...headers,
      },
      agent: false,
      signal,
      lookup: lookupAmong(addresses),
    })
    sent.on('response', (response) => resolve(readAnswer(response)))
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The status counts, also if the body does not end or breaks off. */
async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = []
  try {
    for await (const part of response) {
      parts.push(part)
      if (Buffer.concat(parts).length >= mostAnswerBytes) break
    }
  } catch {
    // What has arrived is enough.
  }
  response.destroy()
  const retryAfter = Number(response.headers['retry-after'] ?? Number.NaN)
  return {
    status: response.statusCode ?? 0,
    retryAfterS: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
    text: Buffer.concat(parts).subarray(0, mostAnswerBytes).toString(),
  }
}

/** Returns the addresses that were checked, whatever the name resolves to now. */
function lookupAmong(addresses: Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all || !first) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
}

/** A resolver cannot be aborted; a late result is ignored. */
async function withinTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const found = await unlessAborted(work, signal)
  if (found === null) throw signal.reason
  return found
}

function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'The address did not respond in time.'
  const code = errorCode(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name of the address cannot be resolved.'
  if (code === 'ECONNREFUSED') return 'No server accepts connections at the address.'
  return code === undefined
    ? 'The address could not be reached.'
    : `The address could not be reached (${code}).`
}
