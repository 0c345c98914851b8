/** A binary heap: of things that come and go in any order, the first is at hand. */
export class Heap<T extends object> {
  /** None is before the one at half its position. */
  #items: T[] = []

  constructor(private readonly compare: (a: T, b: T) => number) {}

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    let place = this.#items.length
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#items[above]
      if (!parent || this.compare(parent, item) <= 0) break
      this.#items[place] = parent
      place = above
    }
    this.#items[place] = item
  }

  pop(): T | undefined {
    const first = this.#items[0]
    const last = this.#items.pop()
    if (last && this.#items.length > 0) this.#sink(last)
    return first
  }

  /** Drops what is not wanted any more. */
  keep(isWanted: (item: T) => boolean): void {
    const wanted = this.#items.filter(isWanted)
    this.#items = []
    for (const item of wanted) this.push(item)
  }

  /** Puts an item at the top, and from there to its place. */
  #sink(item: T): void {
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      let child = this.#items[below]
      const other = this.#items[below + 1]
      if (child && other && this.compare(other, child) < 0) {
        child = other
        below += 1
      }
      if (!child || this.compare(item, child) <= 0) break
      this.#items[place] = child
      place = below
    }
    this.#items[place] = item
  }
}
