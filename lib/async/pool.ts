/**
 * Runs `work` for each item, at most `limit` at the same time. When it resolves or rejects, no work is running.
 * @throws the first error, or the reason of `signal`.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const left = items.values()
  let failed = false
  const workers = Array.from({ length: limit }, async () => {
    for (const item of left) {
      signal?.throwIfAborted()
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
