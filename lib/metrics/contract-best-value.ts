import { isCounter } from '../contract/output/axes'

/** Which value of a metric is the best. */
export const bestValues = ['lowest', 'highest'] as const
export type BestValue = (typeof bestValues)[number]

/** Words in names of metrics that count mistakes, distance or effort. */
const costs =
  /^(?:loss|losses|nll|error|errors|err|wer|cer|mae|mse|rmse|mape|fid|kl|perplexity|ppl|bpb|bpc|time|latency|duration|seconds|elapsed|memory|regret|cost)$/

/** Guesses from the name of a metric which of its values is the best. People can choose the other one. Null: it is a counter. */
export function guessBest(metric: string): BestValue | null {
  if (isCounter(metric)) return null
  const words = metric
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((word) => costs.test(word)) ? 'lowest' : 'highest'
}

/**
 * The best of some values; undefined: there is none, or all are equal, so that none is better.
 * @param best null: no value is better than another
 */
export function bestOf(values: readonly (number | undefined)[], best: BestValue | null): number | undefined {
  if (best === null) return undefined
  const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[]
  const [lowest, highest] = [Math.min(...known), Math.max(...known)]
  return known.length === 0 || lowest === highest ? undefined : best === 'lowest' ? lowest : highest
}
