import type { Summary } from '@/lib/metrics/contract-group-rows'
import { formatValue } from '../jobs/result/chart-series'
import type { Range } from './chart-settings'

/**
 * The spread around a mean: one sample standard deviation on both sides. A standard deviation of two values says less than the values
 * themselves, so theirs is from the lower to the higher one. Null: there is one value.
 */
export function spreadOf({ count, mean, spread, min, max }: Summary): Range | null {
  if (spread === undefined) return null
  return count === 2 ? { from: min, to: max } : { from: mean - spread, to: mean + spread }
}

/** A mean with its spread, such as `0.25 ± 0.03`, or `0.25 (0.2 to 0.3)` of two values. */
export function formatSummary(summary: Summary): string {
  const { count, mean, spread, min, max } = summary
  if (spread === undefined) return formatValue(mean)
  return count === 2 && min < max
    ? `${formatValue(mean)} (${formatValue(min)} to ${formatValue(max)})`
    : `${formatValue(mean)} ± ${formatValue(toTwoDigits(spread))}`
}

/** Two digits of a spread are enough to judge a difference. */
const toTwoDigits = (spread: number) => Number(spread.toPrecision(2))
