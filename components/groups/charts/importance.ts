import type { ParameterValue } from '@/lib/groups/contract-parameters'

/** A parameter and the share of the variance of a metric that it explains alone, from 0 to 1. */
export interface Importance {
  parameter: string
  share: number
}

export interface Observation {
  parameters: Readonly<Record<string, ParameterValue>>
  value: number
}

/** More different numbers, and those that are nearly all different, are put into groups of equal size. */
const maxBins = 10
/** With fewer observations a share says nothing. */
const fewest = 4

/**
 * How much each parameter explains alone, the most important first. The observations are grouped by the value of the parameter, numbers
 * with many values by quantiles. The share is epsilon squared of a one-way analysis of variance (Kelley, "An unbiased correlation ratio
 * measure", PNAS 21, 1935): eta squared without the part that many groups explain by chance. What only two parameters together explain is
 * in neither share. A parameter is left out if it has one value, or texts that all differ.
 */
export function importances(
  parameters: readonly string[],
  observations: readonly Observation[],
): Importance[] {
  if (observations.length < fewest) return []
  return parameters
    .flatMap((parameter) => {
      const groups = groupBy(parameter, observations)
      // Groups with one observation each do not show what is chance.
      const isKnown = groups.length > 1 && groups.some(({ length }) => length > 1)
      return isKnown ? [{ parameter, share: explainedShare(groups) }] : []
    })
    .toSorted((a, b) => b.share - a.share)
}

function groupBy(parameter: string, observations: readonly Observation[]): number[][] {
  const pairs = observations.flatMap(({ parameters, value }) => {
    const own = parameters[parameter]
    return own === undefined ? [] : [{ own, value }]
  })
  const different = new Set(pairs.map(({ own }) => own)).size
  const isNumber = pairs.every(({ own }) => typeof own === 'number')
  const groups = new Map<ParameterValue, number[]>()
  const add = (key: ParameterValue, value: number) => {
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  if (isNumber && different > Math.min(maxBins, pairs.length / 2)) {
    const bins = Math.max(2, Math.min(maxBins, Math.floor(Math.sqrt(pairs.length))))
    const sorted = pairs.map(({ own }) => Number(own)).toSorted((a, b) => a - b)
    // Equal values are in the same group.
    const edges = Array.from(
      { length: bins - 1 },
      (_, at) => sorted[Math.floor(((at + 1) * sorted.length) / bins)] ?? 0,
    )
    for (const { own, value } of pairs) add(edges.filter((edge) => Number(own) >= edge).length, value)
  } else for (const { own, value } of pairs) add(own, value)
  return [...groups.values()]
}

function explainedShare(groups: readonly number[][]): number {
  const all = groups.flat()
  const total = squares(all)
  const within = groups.reduce((sum, group) => sum + squares(group), 0)
  if (total <= 0) return 0
  const byChance = ((groups.length - 1) * within) / (all.length - groups.length)
  return Math.min(1, Math.max(0, (total - within - byChance) / total))
}

/** The sum of the squared distances from the mean. */
function squares(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}
