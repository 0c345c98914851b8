/** A check, and the names of the preparations and checks that must have ended before it starts. */
interface Scheduled<T> {
  name: string
  after: string[]
  /** Rejects only to stop the whole run. */
  run(): Promise<T>
}

/**
 * Runs checks concurrently. Whenever a place is free, it starts the first check of the list whose prerequisites
 * have ended, successfully or not. Returns the results in the order of the list.
 */
export async function runScheduled<T>(
  checks: readonly Scheduled<T>[],
  prepared: ReadonlyMap<string, Promise<unknown>>,
  places: number,
): Promise<T[]> {
  const unsettled = new Map<string, Promise<unknown>>()
  const track = (name: string, promise: Promise<unknown>) => {
    const end = () => unsettled.delete(name)
    unsettled.set(name, promise.then(end, end))
  }
  for (const [name, promise] of prepared) track(name, promise)
  const waiting = new Map(checks.map((check) => [check.name, check]))
  const results = new Map<string, Promise<T>>()
  const failures: unknown[] = []
  let running = 0
  const isReady = ({ after }: Scheduled<T>) => !after.some((name) => unsettled.has(name) || waiting.has(name))
  while (waiting.size > 0 || running > 0) {
    if (failures.length > 0 && running === 0) throw failures[0]
    const mayStart = running < places && failures.length === 0
    const next = mayStart ? [...waiting.values()].find(isReady) : undefined
    if (!next) {
      await Promise.race(unsettled.values())
      continue
    }
    waiting.delete(next.name)
    running += 1
    const result = next.run().finally(() => {
      running -= 1
    })
    results.set(next.name, result)
    track(
      next.name,
      result.catch((error: unknown) => failures.push(error)),
    )
  }
  return Promise.all(checks.flatMap(({ name }) => results.get(name) ?? []))
}
