/**
 * Does the work for each item, so many at once. Once it has ended, in whatever way, nothing is worked on any more.
 * @throws what the first failure says, or `signal`.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  let failed = false
  const workers = Array.from({ length: atOnce }, async () => {
    for (const item of left) {
      signal.throwIfAborted()
      if (failed) return
      await work(item).catch((error: unknown) => {
        failed = true
        throw error
      })
    }
  })
  const ends = await Promise.allSettled(workers)
  const first = ends.find((end) => end.status === 'rejected')
  if (first) throw first.reason
}
