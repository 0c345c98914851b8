interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(reason: unknown): void
}

/**
 * Handles items together that arrive while earlier ones are being handled (group commit). An item that arrives alone
 * is handled at once and alone, so nothing waits for a batch to fill.
 */
export class Batches<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = []
  private busy = false

  /**
   * @param handle returns one outcome for each item, in their order. If it throws, all items of the batch fail.
   * @param maxItems the size of the largest batch
   */
  constructor(
    private readonly handle: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>,
    private readonly maxItems: number,
  ) {}

  /** Resolves with the result of the item, when its batch has been handled. */
  add(item: Item): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => this.waiting.push({ item, resolve, reject }))
    if (!this.busy) void this.handleAll()
    return result
  }

  private async handleAll(): Promise<void> {
    this.busy = true
    while (this.waiting.length > 0) await this.handleBatch(this.waiting.splice(0, this.maxItems))
    this.busy = false
  }

  private async handleBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await this.handle(batch.map(({ item }) => item))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome === undefined) reject(new Error('A batch has no outcome for one of its items.'))
        else if (outcome.status === 'fulfilled') resolve(outcome.value)
        else reject(outcome.reason)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
