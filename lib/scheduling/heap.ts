/** A binary min-heap. */
export class Heap<T extends object> {
  /** Heap order: no item is before its parent at half its position. */
  #items: T[] = []

  constructor(private readonly compare: (a: T, b: T) => number) {}

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    let index = this.#items.length
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = this.#items[parentIndex]
      if (!parent || this.compare(parent, item) <= 0) break
      this.#items[index] = parent
      index = parentIndex
    }
    this.#items[index] = item
  }

  pop(): T | undefined {
    const first = this.#items[0]
    const last = this.#items.pop()
    if (last && this.#items.length > 0) this.#sink(last)
    return first
  }

  /** Removes the items for which `isWanted` is false. */
  retain(isWanted: (item: T) => boolean): void {
    const wanted = this.#items.filter(isWanted)
    this.#items = []
    for (const item of wanted) this.push(item)
  }

  /** Inserts an item at the root and moves it down to its position. */
  #sink(item: T): void {
    let index = 0
    for (;;) {
      let childIndex = 2 * index + 1
      let child = this.#items[childIndex]
      const other = this.#items[childIndex + 1]
      if (child && other && this.compare(other, child) < 0) {
        child = other
        childIndex += 1
      }
      if (!child || this.compare(item, child) <= 0) break
      this.#items[index] = child
      index = childIndex
    }
    this.#items[index] = item
  }
}
