import type { IncomingMessage } from 'node:http'
import { GpuqError } from '../../contract/errors'

export interface BodyCounts {
  perAddress: number
  inTotal: number
}

/** More than any burst of a script. Each that waits keeps less than 128 KiB in memory. */
const defaults: BodyCounts = { perAddress: 48, inTotal: 128 }

/**
 * Counts the request bodies that arrive without a token in the headers. Those above the limits are refused
 * before Next.js spends memory on them.
 */
export class UnidentifiedBodies {
  readonly #limits: BodyCounts
  readonly #byAddress = new Map<string, number>()
  #inTotal = 0

  constructor(limits: BodyCounts = defaults) {
    this.#limits = limits
  }

  /**
   * Counts a request until its body has been read, or its connection is closed.
   * @throws 429 if its address has too many, 503 if all addresses together have.
   */
  admit(request: IncomingMessage): void {
    if (isIdentified(request) || !hasBody(request)) return
    const address = String(request.headers['x-forwarded-for'])
    const ofAddress = this.#byAddress.get(address) ?? 0
    if (ofAddress >= this.#limits.perAddress) throw tooMany('rate_limited', 'Your address sends')
    if (this.#inTotal >= this.#limits.inTotal) throw tooMany('unavailable', 'All clients together send')
    this.#byAddress.set(address, ofAddress + 1)
    this.#inTotal++
    const { socket } = request
    let counted = true
    const release = () => {
      if (counted) this.#release(address)
      counted = false
      socket.off('close', release)
    }
    request.once('end', release)
    request.once('close', release)
    // A request that was answered before its body was complete has neither event if its connection breaks off.
    socket.once('close', release)
  }

  #release(address: string): void {
    this.#inTotal--
    const left = (this.#byAddress.get(address) ?? 1) - 1
    if (left > 0) this.#byAddress.set(address, left)
    else this.#byAddress.delete(address)
  }
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Whether the request has a token in its headers, which is checked before the body is read. A session cookie does not
 * count: anyone can send one that is invalid, and a browser sends few bodies at the same time.
 */
export function isIdentified({ headers }: IncomingMessage): boolean {
  return headers.authorization !== undefined || headers['x-auth-token'] !== undefined
}

function tooMany(code: 'rate_limited' | 'unavailable', who: string): GpuqError {
  const message = `${who} too many requests at once without a token in the headers. Try again in a few seconds.`
  return new GpuqError(code, message, { retryAfterS: 5 })
}
