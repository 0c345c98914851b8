/** Processes items with limited concurrency. Throws the first failure after all running work has ended. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const failures: unknown[] = []
  const one = async () => {
    for (const item of left) {
      if (failures.length > 0) return
      await work(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one))
  if (failures.length > 0) throw failures[0]
}
