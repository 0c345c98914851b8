import { GpuqError } from '../contract/errors'
import type { ParsedGroupConfig } from './contract'
import {
  type Dimension,
  isDistribution,
  maxGroupMembers,
  type Parameters,
  type ParameterValue,
} from './contract-parameters'
import type { Overrides } from './contract-wave'

/** A member of a group: one job with its own parameters. */
export interface Member {
  index: number
  parameters: Parameters
  /** Counts the members with the same parameters, from 0. */
  repeat: number
  /** What a member of a wave has instead of the values of its group; left out: it differs only in its parameters. */
  overrides?: Overrides | undefined
  /** Makes repeated submissions of a member of a wave one job. */
  idempotencyKey?: string | undefined
}

type GroupKeys = Pick<
  ParsedGroupConfig,
  'matrix' | 'array' | 'members' | 'search' | 'samples' | 'seed' | 'repeat' | 'parallel'
>

/** The members of a group, and how many of them may wait or run at once if the array says it. */
export interface Expansion {
  members: Member[]
  /** `%8` of an array. */
  parallel: number | undefined
}

/**
 * Lists the members of a group. The same config has the same members.
 * @throws 422 that names the key.
 */
export function expandMembers(config: GroupKeys): Expansion {
  const { points, parallel } = expandPoints(config)
  if (config.array !== undefined && parallel !== undefined && config.parallel !== undefined)
    throw refuse('parallel', `is also in array, as %${parallel}: remove one of the two`)
  const count = points.length * config.repeat
  if (count > maxGroupMembers) throw tooMany(config.repeat > 1 ? 'repeat' : 'matrix', count)
  const members = points.flatMap((point) =>
    Array.from({ length: config.repeat }, (_, repeat) => ({ ...point, repeat })),
  )
  return { members: members.map((member, index) => ({ index, ...member })), parallel }
}

/**
 * Lists the members that a group gets besides those that it has, for a config with more samples or more repeats. The members that it
 * has stay as they are, because a random search with the same seed begins with the same points.
 * @param known the config and the number of members so far
 * @throws 422 that names the key.
 */
export function additionalMembers(config: GroupKeys, known: { members: number; repeat: number }): Member[] {
  const points = known.members / known.repeat
  const { repeat } = config
  return expandMembers({ ...config, parallel: undefined })
    .members.filter((member) => Math.floor(member.index / repeat) >= points || member.repeat >= known.repeat)
    .map((member, at) => ({ ...member, index: known.members + at }))
}

const refuse = (path: string, message: string) =>
  new GpuqError('invalid_fields', `${path}: ${message}`, { errors: [{ path, message }] })

const tooMany = (path: string, members: number) =>
  refuse(
    path,
    `makes ${members.toLocaleString('en')} members, and a group has at most ${maxGroupMembers.toLocaleString('en')}: use fewer values, or search: random with samples`,
  )

interface Points {
  points: Omit<Member, 'index' | 'repeat'>[]
  parallel?: number | undefined
}

function expandPoints(config: GroupKeys): Points {
  const { array, members } = config
  if (array !== undefined) return expandArray(array)
  if (members === undefined) return { points: expandMatrix(config).map((parameters) => ({ parameters })) }
  const points = members.map(({ idempotency_key: idempotencyKey, ...overrides }, index) => ({
    parameters: { index },
    overrides,
    idempotencyKey,
  }))
  return { points }
}

function expandMatrix({ matrix = {}, search, samples, seed }: GroupKeys): Parameters[] {
  // The number can be far larger than what memory holds.
  const size = Object.values(matrix).reduce((product, dimension) => product * countValues(dimension), 1)
  if (search === 'grid' && size > maxGroupMembers) throw tooMany('matrix', size)
  const dimensions = Object.entries(matrix).map(([name, dimension]) => ({
    name,
    values: valuesOf(name, dimension),
  }))
  if (search === 'random') return drawPoints(matrix, dimensions, samples ?? 1, seed)
  let points: Parameters[] = [{}]
  for (const { name, values } of dimensions)
    points = points.flatMap((point) => (values ?? []).map((value) => ({ ...point, [name]: value })))
  return points
}

/** The values of a parameter in their order; null: every number of an interval. @throws 422 for a value that appears twice. */
function valuesOf(name: string, dimension: Dimension): ParameterValue[] | null {
  if (isDistribution(dimension)) return null
  const values = Array.isArray(dimension) ? dimension : numbersOf(dimension)
  // 1 and "1" reach the program as the same text.
  const seen = new Set<string>()
  for (const value of values) {
    if (seen.has(String(value))) throw refuse(`matrix.${name}`, `has the value ${value} twice: remove one`)
    seen.add(String(value))
  }
  return values
}

type Range = Exclude<Dimension, ParameterValue[] | { uniform?: unknown }>

/** How many values a parameter has; 1 for an interval, which has no list of values. */
function countValues(dimension: Dimension): number {
  if (Array.isArray(dimension)) return dimension.length
  return isDistribution(dimension) ? 1 : countNumbers(dimension)
}

/** The tolerance includes the last number of {from: 0.1, to: 0.5, step: 0.1}, which has errors of rounding. */
function countNumbers({ from, to, step = 1, scale }: Range): number {
  const steps = scale === 'linear' ? (to - from) / step : Math.log(to / from) / Math.log(baseOf(scale))
  return Math.floor(steps + 1e-9) + 1
}

const baseOf = (scale: Range['scale']) => (scale === 'log2' ? 2 : 10)

function numbersOf(range: Range): number[] {
  const { from, step = 1, scale } = range
  // A sum of many steps would collect errors of rounding: 0.1 + 0.2 is not 0.3.
  return Array.from({ length: countNumbers(range) }, (_, at) =>
    rounded(scale === 'linear' ? from + at * step : from * baseOf(scale) ** at),
  )
}

/** Removes the last digits, which are errors of the calculation. */
const rounded = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(15)))

const triesPerSample = 20

/** Draws different points. @throws 422 if there are fewer. */
function drawPoints(
  matrix: Readonly<Record<string, Dimension>>,
  dimensions: readonly { name: string; values: ParameterValue[] | null }[],
  samples: number,
  seed: number,
): Parameters[] {
  const isCountable = dimensions.every(({ values }) => values !== null)
  const size = dimensions.reduce((product, { values }) => product * (values?.length ?? 1), 1)
  if (isCountable && size < samples)
    throw refuse(
      'samples',
      `is more than the ${size} different combinations of the matrix: lower it, or use search: grid`,
    )
  const random = splitMix32(seed)
  const points = new Map<string, Parameters>()
  for (let draws = 0; points.size < samples; draws++) {
    // An interval has few different numbers if its ends are close to each other.
    if (draws > triesPerSample * samples + 1000)
      throw refuse(
        'samples',
        `is more than the different combinations that were found, ${points.size}: lower it, or use wider intervals`,
      )
    const point = Object.fromEntries(
      dimensions.map(({ name, values }) => [
        name,
        values ? pick(values, random()) : draw(matrix[name], random()),
      ]),
    ) as Parameters
    points.set(JSON.stringify(point), point)
  }
  return [...points.values()]
}

const pick = <Value>(values: readonly Value[], at: number) => values[Math.floor(at * values.length)]

function draw(dimension: Dimension | undefined, at: number): number {
  const { uniform, log_uniform: log } = dimension as {
    uniform?: [number, number]
    log_uniform?: [number, number]
  }
  const [least, most] = uniform ?? log ?? [0, 1]
  const value = log ? Math.exp(Math.log(least) + at * Math.log(most / least)) : least + at * (most - least)
  return Number(value.toPrecision(6))
}

/** A generator of numbers from 0 to 1 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014, with 32 bits). */
function splitMix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

const arrayPart = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/

/** The members of `0-99`, `0-9:3`, `1,4,7` or `0-99%8`. */
function expandArray(text: string): Points {
  const wrong = (why: string) =>
    refuse('array', `${why}: write numbers and ranges, such as "0-99", "0-9:3", "1,4,7" or "0-99%8"`)
  const [, ranges = '', parallelText] = /^([^%]*)(?:%(\d{1,9}))?$/.exec(text.replace(/\s/g, '')) ?? []
  if (ranges === '') throw wrong('is no array')
  const parallel = parallelText === undefined ? undefined : Number(parallelText)
  if (parallel !== undefined && (parallel < 1 || parallel > maxGroupMembers))
    throw wrong(`has ${parallel} after %, which must be from 1 to ${maxGroupMembers}`)
  const numbers = new Set<number>()
  for (const part of ranges.split(',')) {
    const [, first, last = first, step = '1'] = arrayPart.exec(part) ?? []
    if (first === undefined) throw wrong('has a part that is no number and no range')
    const [from, to, by] = [Number(first), Number(last), Number(step)]
    if (from > to) throw wrong(`has the range ${part}, whose first number is larger than its last`)
    if (by === 0) throw wrong(`has the step 0`)
    if ((to - from) / by >= maxGroupMembers) throw tooMany('array', Math.floor((to - from) / by) + 1)
    for (let number = from; number <= to; number += by) {
      if (numbers.has(number)) throw wrong(`has the number ${number} twice`)
      numbers.add(number)
      if (numbers.size > maxGroupMembers) throw tooMany('array', numbers.size)
    }
  }
  return {
    points: [...numbers].toSorted((a, b) => a - b).map((index) => ({ parameters: { index } })),
    parallel,
  }
}
