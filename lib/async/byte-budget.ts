/** A limit for the bytes that several pieces of work keep in memory together. */
export class ByteBudget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Takes bytes. False: too few are left, and none is taken. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  release(bytes: number): void {
    this.#left += bytes
  }
}
