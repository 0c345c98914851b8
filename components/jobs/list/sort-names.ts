import { isCounter } from '@/lib/contract/output/axes'

/** Sorts names of metrics, `layer.2` before `layer.10`. Counters, such as `step`, come last. */
export function sortNames(names: readonly string[]): string[] {
  return names.toSorted(
    (one, other) =>
      Number(isCounter(one)) - Number(isCounter(other)) || one.localeCompare(other, 'en', { numeric: true }),
  )
}
