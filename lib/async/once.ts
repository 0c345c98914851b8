/** Calls a function once for equal arguments. */
export function once<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
  keyOf: (...args: Args) => readonly unknown[] = (...args) => args,
): (...args: Args) => Promise<Result> {
  const results = new Map<string, Promise<Result>>()
  return (...args) => {
    const key = JSON.stringify(keyOf(...args))
    const result = results.get(key) ?? call(...args)
    results.set(key, result)
    return result
  }
}
