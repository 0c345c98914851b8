/** Releases a slot. Further calls do nothing. */
export type Release = () => void

interface Waiting {
  owner: string
  enter: (release: Release) => void
}

interface Limits {
  perOwner: number
  inAll: number
  /** How many of one owner may wait, and how many in all. */
  waitingPerOwner: number
  waitingInAll: number
}

/**
 * Slots of several owners: a few for each, and more in all. Those that find none free wait in order, and pass those that wait only
 * because their owner has no more.
 */
export class SlotQueue {
  readonly #taken = new Map<string, number>()
  #takenInAll = 0
  #waiting: Waiting[] = []

  constructor(private readonly limits: Limits) {}

  /**
   * Waits for a slot. Null: too many wait already.
   * @throws the reason of the signal, if it is aborted first.
   */
  async enter(owner: string, signal: AbortSignal): Promise<Release | null> {
    signal.throwIfAborted()
    if (this.#isFree(owner)) return this.#take(owner)
    const ofOwner = this.#waiting.filter((waiting) => waiting.owner === owner).length
    const { waitingPerOwner, waitingInAll } = this.limits
    if (ofOwner >= waitingPerOwner || this.#waiting.length >= waitingInAll) return null
    return new Promise<Release>((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        enter: (release) => {
          signal.removeEventListener('abort', leave)
          resolve(release)
        },
      }
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
    })
  }

  /** How many slots are taken in all. */
  get taken(): number {
    return this.#takenInAll
  }

  #isFree(owner: string): boolean {
    return this.#takenInAll < this.limits.inAll && (this.#taken.get(owner) ?? 0) < this.limits.perOwner
  }

  #take(owner: string): Release {
    this.#takenInAll++
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      this.#takenInAll--
      const left = (this.#taken.get(owner) ?? 1) - 1
      if (left > 0) this.#taken.set(owner, left)
      else this.#taken.delete(owner)
      this.#admit()
    }
  }

  #admit(): void {
    const next = this.#waiting.find(({ owner }) => this.#isFree(owner))
    if (!next) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    next.enter(this.#take(next.owner))
  }
}
