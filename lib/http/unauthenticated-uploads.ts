import { clientAddress } from '../access/client-address'
import { ByteBudget } from '../async/byte-budget'
import { ConcurrencyLimit } from '../async/concurrency-limit'
import { GpuqError } from '../contract/errors'

/** The limits of uploads with the token inside: their sender is unknown until everything has arrived. */
export interface UnauthenticatedLimits {
  perAddress: { running: number; waiting: number }
  inTotal: { running: number; waiting: number }
  /** Memory for all of them together. */
  bufferedBytes: number
}

const defaults: UnauthenticatedLimits = {
  perAddress: { running: 8, waiting: 40 },
  inTotal: { running: 32, waiting: 96 },
  bufferedBytes: 32 * 1024 * 1024,
}

/** Takes bytes of the shared memory for one upload. @throws 503 if too few are left. */
export type TakeBytes = (bytes: number) => void

/**
 * Limits how many uploads without a header token or session are read at once. The others wait with their body unread,
 * and too many are refused before any of it is read.
 */
export class UnauthenticatedUploads {
  readonly #limits: UnauthenticatedLimits
  readonly #byAddress = new Map<string, { limit: ConcurrencyLimit; uploads: number }>()
  readonly #inTotal: ConcurrencyLimit
  readonly #budget: ByteBudget

  constructor(limits: UnauthenticatedLimits = defaults) {
    this.#limits = limits
    this.#inTotal = new ConcurrencyLimit(limits.inTotal.running, limits.inTotal.waiting)
    this.#budget = new ByteBudget(limits.bufferedBytes)
  }

  /**
   * Runs `receive` in its turn. The memory that it takes is released when it ends.
   * @throws 429 if the address has too many uploads, 503 if all addresses together have.
   */
  async run<T>(headers: Headers, receive: (takeBytes: TakeBytes) => Promise<T>): Promise<T> {
    const ofAddress = await this.#runFor(clientAddress(headers), () =>
      this.#inTotal.run(() => this.#receive(receive)),
    )
    if (!ofAddress.ok) throw tooMany('rate_limited', 'Your address sends too many uploads at once')
    if (!ofAddress.value.ok) throw tooMany('unavailable', 'Too many uploads arrive at once')
    return ofAddress.value.value
  }

  async #runFor<T>(
    address: string,
    work: () => Promise<T>,
  ): ReturnType<typeof ConcurrencyLimit.prototype.run<T>> {
    const { running, waiting } = this.#limits.perAddress
    const entry = this.#byAddress.get(address) ?? {
      limit: new ConcurrencyLimit(running, waiting),
      uploads: 0,
    }
    this.#byAddress.set(address, entry)
    entry.uploads++
    try {
      return await entry.limit.run(work)
    } finally {
      entry.uploads--
      if (entry.uploads === 0) this.#byAddress.delete(address)
    }
  }

  async #receive<T>(receive: (takeBytes: TakeBytes) => Promise<T>): Promise<T> {
    let taken = 0
    const takeBytes = (bytes: number) => {
      if (!this.#budget.take(bytes)) throw tooMany('unavailable', 'Too many uploads arrive at once')
      taken += bytes
    }
    try {
      return await receive(takeBytes)
    } finally {
      this.#budget.release(taken)
    }
  }
}

const hint = 'Try again in a few seconds, or send the token as the header "Authorization: Bearer YOUR_TOKEN"'

function tooMany(code: 'rate_limited' | 'unavailable', reason: string): GpuqError {
  return new GpuqError(
    code,
    `${reason} without a token in a header. ${hint}: this limit does not apply then.`,
    {
      retryAfterS: 5,
    },
  )
}
