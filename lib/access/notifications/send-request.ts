import { lookup } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { unlessAborted } from '@/lib/async/sleep'
import { timeLimit } from '@/lib/async/time-limit'
import { errorCode } from '@/lib/contract/error-code'
import { isPublicAddress } from './public-address'

export interface Address {
  address: string
  family: number
}

export interface Posting {
  /** Whether addresses of this host and of private networks are allowed. */
  allowPrivate: boolean
  timeoutMs: number
  signal: AbortSignal
  /** Resolves all addresses of a name. */
  resolve?: (hostname: string) => Promise<Address[]>
}

/** `refused`: the notice must never be sent to this address. */
type Posted = { ok: true } | { ok: false; problem: string; refused: boolean }

/**
 * Posts JSON to a URL that a user chose. Resolves the name once, checks every address, and connects to a checked
 * one, so a name that changes its address in between (DNS rebinding) has no effect. Follows no redirects, reads only
 * the status of the response, and has one time limit.
 */
export async function postNotice(url: string, body: unknown, posting: Posting): Promise<Posted> {
  const signal = timeLimit(posting.timeoutMs, posting.signal)
  try {
    const target = new URL(url)
    const addresses = await withinTime(findAddresses(target, posting), signal)
    if (!posting.allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
      const problem = 'The address is on a private network. An admin can allow this with GPUQ_NOTIFY_PRIVATE.'
      return { ok: false, problem, refused: true }
    }
    const status = await send(target, addresses, JSON.stringify(body), signal)
    if (status >= 200 && status < 300) return { ok: true }
    return { ok: false, problem: `The address responded with status ${status}.`, refused: false }
  } catch (error) {
    return { ok: false, problem: explain(error, signal), refused: false }
  }
}

async function findAddresses({ hostname }: URL, { resolve = resolveAll }: Posting): Promise<Address[]> {
  const literal = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(literal)
  if (family !== 0) return [{ address: literal, family }]
  const addresses = await resolve(hostname)
  if (addresses.length === 0) throw new Error('The name has no address.')
  return addresses
}

const resolveAll = (hostname: string) => lookup(hostname, { all: true, verbatim: true })

/** Sends the request, and returns the status of the response. */
function send(url: URL, addresses: Address[], body: string, signal: AbortSignal): Promise<number> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'gpuq',
      },
      agent: false,
      signal,
      lookup: lookupAmong(addresses),
    })
    sent.on('response', (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    sent.on('error', reject)
    sent.end(body)
  })
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
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name in notify_url cannot be resolved.'
  if (code === 'ECONNREFUSED') return 'No server accepts connections at the address.'
  return code === undefined
    ? 'The address could not be reached.'
    : `The address could not be reached (${code}).`
}
