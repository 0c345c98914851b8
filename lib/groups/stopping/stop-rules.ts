import type { z } from 'zod'
import type { stopSchema } from '../contract'

export type StopRule = z.output<typeof stopSchema>
type Mode = 'min' | 'max'

/** The objective of one member over its steps, in their order. NaN is worse than every number. */
export interface Curve {
  steps: Float64Array
  values: Float64Array
}

/** What a member had reached at a step at which members are compared. */
export interface Rung {
  /** From 0. */
  rung: number
  step: number
  /** The objective at this step. */
  value: number
  /** The best and the average objective up to this step. */
  best: number
  average: number
}

/** The most rungs of a member: each is a row of the database. */
const maxRungs = 100
/** With `median`, as many rungs are at multiples of min_step. Those after them are each a quarter farther. */
const evenRungs = 20

/** The step of each rung, from 0: with `asha` min_step times powers of the reduction, with `median` see {@link evenRungs}. */
function stepOf({ rule, min_step, reduction }: StopRule, rung: number): number {
  if (rule === 'asha') return Math.ceil(min_step * reduction ** rung)
  if (rung < evenRungs) return min_step * (rung + 1)
  return Math.ceil(min_step * evenRungs * 1.25 ** (rung - evenRungs + 1))
}

/**
 * The rungs that a curve has reached, from one on.
 * @param from the number of rungs that are known already.
 */
export function rungsOf({ steps, values }: Curve, rule: StopRule, mode: Mode, from = 0): Rung[] {
  const rungs: Rung[] = []
  let best = Number.NaN
  let sum = 0
  let rung = 0
  for (let at = 0; at < steps.length && rung < maxRungs; at++) {
    const value = values[at] ?? Number.NaN
    best = isBetter(value, best, mode) ? value : best
    sum += value
    // A program may report only every hundredth step.
    while (rung < maxRungs && (steps[at] ?? 0) >= stepOf(rule, rung)) {
      if (rung >= from) rungs.push({ rung, step: stepOf(rule, rung), value, best, average: sum / (at + 1) })
      rung += 1
    }
  }
  return rungs
}

/** Whether a number is strictly better. NaN is worse than every number. */
export function isBetter(value: number, other: number, mode: Mode): boolean {
  if (Number.isNaN(value)) return false
  if (Number.isNaN(other)) return true
  return mode === 'min' ? value < other : value > other
}

/** How many members go on at a rung that `all` of them have reached, with `asha`. */
const placesAt = (all: number, { reduction }: StopRule) => Math.max(1, Math.floor(all / reduction))

/** Fewer members say nothing about what is usual. */
const fewestForMedian = 3

/**
 * Decides whether a member ends at a rung, by those that have reached it, itself included.
 *
 * `asha` is the stopping variant of asynchronous successive halving (Li et al., "A System for Massively Parallel Hyperparameter
 * Tuning", 2020): a member goes on if it is among the best 1/reduction of those that have reached the rung so far. `median` is the
 * rule of Golovin et al., "Google Vizier", 2017: a member ends if its best value is worse than the median of the others' averages.
 * @returns why it ends, as a sentence; null: it goes on.
 */
export function decide(
  stop: StopRule,
  { metric, mode }: { metric: string; mode: Mode },
  own: Rung,
  others: readonly Pick<Rung, 'value' | 'average'>[],
): string | null {
  const all = others.length + 1
  const shown = (value: number) => (Number.isNaN(value) ? 'NaN' : String(Number(value.toPrecision(4))))
  if (stop.rule === 'asha') {
    const places = placesAt(all, stop)
    // Members that are equally good have the same place.
    const better = others.filter(({ value }) => isBetter(value, own.value, mode)).length
    if (all < stop.reduction || better < places) return null
    return `Stopped at step ${own.step}: ${metric} ${shown(own.value)} is worse than that of ${better} of ${all} members. The best ${places} of ${all} go on.`
  }
  if (others.length < fewestForMedian) return null
  const median = medianOf(
    others.map(({ average }) => average),
    mode,
  )
  if (!isBetter(median, own.best, mode)) return null
  return `Stopped at step ${own.step}: the best ${metric} so far, ${shown(own.best)}, is worse than the median of the averages of ${others.length} other members, ${shown(median)}.`
}

/**
 * Finds the paused members that {@link decide} lets go on by now, because more members have reached their last rung: the promotion of
 * ASHA. Those at the highest rung come first, and of them the best, as there.
 * @param paused what these members had reached at their last rung.
 * @param reached what all members had reached at these rungs.
 */
export function findPromoted<Paused extends Pick<Rung, 'rung' | 'value'>>(
  stop: StopRule,
  mode: Mode,
  paused: readonly Paused[],
  reached: readonly Pick<Rung, 'rung' | 'value'>[],
): Paused[] {
  const compare = (a: number, b: number) => compareValues(a, b, mode)
  /** The value of the last place of each rung. */
  const last = new Map<number, number>()
  for (const rung of new Set(paused.map((own) => own.rung))) {
    const values = reached.filter((one) => one.rung === rung).map(({ value }) => value)
    last.set(rung, values.toSorted(compare)[placesAt(values.length, stop) - 1] ?? Number.NaN)
  }
  return paused
    .filter(({ rung, value }) => compare(value, last.get(rung) ?? Number.NaN) <= 0)
    .toSorted((a, b) => b.rung - a.rung || compare(a.value, b.value))
}

/** The order of values, the best first. */
const compareValues = (a: number, b: number, mode: Mode) =>
  isBetter(a, b, mode) ? -1 : isBetter(b, a, mode) ? 1 : 0

/** The median, with NaN as the worst; the better one of two in the middle. */
function medianOf(values: readonly number[], mode: Mode): number {
  const sorted = values.toSorted((a, b) => compareValues(a, b, mode))
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}
