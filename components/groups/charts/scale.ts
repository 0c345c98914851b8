import type { ParameterValue } from '@/lib/groups/contract-parameters'
import { formatValue } from '../../jobs/result/chart-series'

/** Maps values to places of an axis, from 0 to 1. */
export interface Scale {
  kind: 'linear' | 'logarithmic' | 'categories'
  place: (value: ParameterValue) => number
  /** Labels at places of the axis, in their order. */
  ticks: readonly { at: number; text: string }[]
}

/** From this ratio of the largest to the smallest value on, equal factors show more than equal differences. */
const logarithmicFrom = 50
const maxTicks = 6
/** Errors of a division, such as 0.3 / 0.05, must not hide the last label. */
const rounding = 1e-9

/** The scale of the values of a parameter or a metric: of numbers, unless one of them is a text. */
export function scaleOf(values: readonly ParameterValue[]): Scale {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length < values.length || numbers.length === 0) return categories(values)
  const [least, most] = rangeOf(numbers)
  if (least === most)
    return { kind: 'linear', place: () => 0.5, ticks: [{ at: 0.5, text: formatValue(least) }] }
  const isLogarithmic = least > 0 && most / least >= logarithmicFrom
  const forward = isLogarithmic ? Math.log10 : (value: number) => value
  const [from, to] = [forward(least), forward(most)]
  const place = (value: ParameterValue) => (forward(Number(value)) - from) / (to - from)
  const steps = isLogarithmic ? powersOfTen(least, most) : evenSteps(least, most)
  return {
    kind: isLogarithmic ? 'logarithmic' : 'linear',
    place,
    ticks: steps.map((value) => ({ at: place(value), text: formatValue(value) })),
  }
}

/** Without the spread operator, which fails with very many values. */
function rangeOf(numbers: readonly number[]): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of numbers) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return [least, most]
}

function categories(values: readonly ParameterValue[]): Scale {
  const texts = [...new Set(values.map(String))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  const places = new Map(texts.map((text, at) => [text, (at + 0.5) / texts.length]))
  const every = Math.ceil(texts.length / (2 * maxTicks))
  return {
    kind: 'categories',
    place: (value) => places.get(String(value)) ?? 0,
    ticks: texts.filter((_, at) => at % every === 0).map((text) => ({ at: places.get(text) ?? 0, text })),
  }
}

/** 1, 2, 5, 10 …: between two and six numbers. */
function evenSteps(least: number, most: number): number[] {
  const rough = (most - least) / (maxTicks - 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const first = Math.ceil(least / step - rounding)
  const count = Math.floor(most / step + rounding) - first + 1
  // Multiples of the step: a sum would collect errors of rounding.
  return Array.from({ length: Math.max(0, count) }, (_, at) => Number(((first + at) * step).toPrecision(12)))
}

function powersOfTen(least: number, most: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(least) - rounding), Math.floor(Math.log10(most) + rounding)]
  const powers = Array.from({ length: last - first + 1 }, (_, at) => Number(`1e${first + at}`))
  const every = Math.ceil(powers.length / maxTicks)
  return powers.filter((_, at) => at % every === 0)
}
