import { describe, expect, it } from 'vitest'
import { simulateAsha } from '../testing/simulate-asha'
import { decide, findPromoted, isBetter, type Rung, rungsOf, type StopRule } from './stop-rules'

const asha: StopRule = { rule: 'asha', reduction: 3, min_step: 10, resume: false }
const median: StopRule = { rule: 'median', reduction: 3, min_step: 10, resume: false }
const loss = { metric: 'val_loss', mode: 'min' } as const

const curve = (steps: number[], values: number[]) => ({
  steps: Float64Array.from(steps),
  values: Float64Array.from(values),
})
const at = (value: number, changes: Partial<Rung> = {}): Rung => ({
  rung: 0,
  step: 10,
  value,
  best: value,
  average: value,
  ...changes,
})

describe('the rungs of a curve', () => {
  it('asha compares at powers of the reduction, with the first value at or after the step', () => {
    const steps = [5, 10, 20, 35, 89, 95]
    const rungs = rungsOf(curve(steps, [6, 5, 4, 3, 2, 1]), asha, 'min')
    expect(rungs.map(({ rung, step, value, best }) => [rung, step, value, best])).toEqual([
      [0, 10, 5, 5],
      [1, 30, 3, 3],
      [2, 90, 1, 1],
    ])
  })

  it('median compares at multiples of the first step, with the best and the average value', () => {
    expect(rungsOf(curve([10, 20], [2, 4]), median, 'min')).toEqual([
      { rung: 0, step: 10, value: 2, best: 2, average: 2 },
      { rung: 1, step: 20, value: 4, best: 2, average: 3 },
    ])
  })

  it('a value that reaches several steps counts for each, and known rungs are left out', () => {
    const long = curve([100], [1])
    expect(rungsOf(long, asha, 'min').map(({ step }) => step)).toEqual([10, 30, 90])
    expect(rungsOf(long, asha, 'min', 2).map(({ step }) => step)).toEqual([90])
  })

  it('a curve of a billion steps makes a bounded number of rungs', () => {
    expect(rungsOf(curve([1e12], [1]), { ...median, min_step: 1 }, 'min')).toHaveLength(100)
  })

  it('a member continues its rungs in the same way, whether it is read at once or in pieces', () => {
    const steps = Array.from({ length: 200 }, (_, index) => index + 1)
    const values = steps.map((step) => 1 / step)
    const whole = rungsOf(curve(steps, values), asha, 'min')
    const first = rungsOf(curve(steps.slice(0, 47), values.slice(0, 47)), asha, 'min')
    expect([...first, ...rungsOf(curve(steps, values), asha, 'min', first.length)]).toEqual(whole)
  })
})

describe('asha', () => {
  it('the first members that reach a rung go on, because nobody knows what is good', () => {
    expect(decide(asha, loss, at(9), [])).toBeNull()
    expect(decide(asha, loss, at(9), [at(1)])).toBeNull()
  })

  it('a member goes on if it is in the best third of those that have reached the rung', () => {
    const others = [1, 2, 3, 4, 5].map((value) => at(value))
    expect(decide(asha, loss, at(0.5), others)).toBeNull()
    expect(decide(asha, loss, at(1.5), others)).toBeNull()
    expect(decide(asha, loss, at(2.5), others)).toBe(
      'Stopped at step 10: val_loss 2.5 is worse than that of 2 of 6 members. The best 2 of 6 go on.',
    )
    expect(decide(asha, { ...loss, mode: 'max' }, at(0.5), others)).toMatch(/worse than that of 5 of 6/)
  })

  it('members that are equally good go on together', () => {
    expect(decide(asha, loss, at(1), [at(1), at(1), at(1)])).toBeNull()
  })

  it('NaN is the worst, and a member beside only NaN goes on', () => {
    expect(decide(asha, loss, at(Number.NaN), [at(1), at(2)])).toMatch(/val_loss NaN is worse/)
    expect(decide(asha, loss, at(5), [at(Number.NaN), at(Number.NaN)])).toBeNull()
    expect(isBetter(Number.NaN, Number.NaN, 'min')).toBe(false)
  })
})

describe('the promotion of paused members', () => {
  const reached = (values: number[], rung = 0) => values.map((value) => at(value, { rung }))

  it('a member continues as soon as it is among the best third of those that have reached its rung', () => {
    const [paused, others] = [at(2), [1, 3, 4, 5].map((value) => at(value))]
    expect(findPromoted(asha, 'min', [paused], [paused, ...others])).toEqual([])
    expect(findPromoted(asha, 'min', [paused], [paused, ...others, at(6)])).toEqual([paused])
    expect(findPromoted(asha, 'max', [paused], [paused, ...others, at(6)])).toEqual([])
  })

  it('members at the highest rung come first, and of them the best', () => {
    const paused = [...reached([2, 1]), ...reached([9], 1)]
    const all = [...paused, ...reached([5, 6, 7, 8]), ...reached([10, 11], 1)]
    expect(findPromoted(asha, 'min', paused, all).map(({ value }) => value)).toEqual([9, 1, 2])
  })

  it('those continue, and no others, that would have gone on if they had come last', () => {
    const values = Array.from({ length: 40 }, (_, index) => (index * 7) % 13)
    const all = [...values, Number.NaN, Number.NaN].map((value) => at(value))
    for (const mode of ['min', 'max'] as const) {
      const goOn = all.filter(
        (own) =>
          decide(
            asha,
            { ...loss, mode },
            own,
            all.filter((one) => one !== own),
          ) === null,
      )
      expect(new Set(findPromoted(asha, mode, all, all))).toEqual(new Set(goOn))
    }
  })

  it('objectives of different signs are compared as numbers', () => {
    const paused = [at(-2), at(0), at(3)]
    expect(findPromoted(asha, 'min', paused, paused)).toEqual([at(-2)])
    expect(findPromoted(asha, 'max', paused, paused)).toEqual([at(3)])
    expect(decide(asha, loss, at(1), [at(-1), at(0)])).toMatch(/worse than that of 2 of 3/)
  })
})

describe('median', () => {
  const others = [1, 2, 3].map((average) => at(0, { average }))

  it('fewer than three other members decide nothing', () => {
    expect(decide(median, loss, at(9), others.slice(0, 2))).toBeNull()
  })

  it('a member ends if its best value is worse than the median of the averages', () => {
    expect(decide(median, loss, at(9, { best: 1.5 }), others)).toBeNull()
    expect(decide(median, loss, at(9, { best: 2 }), others)).toBeNull()
    expect(decide(median, loss, at(9, { best: 2.5 }), others)).toBe(
      'Stopped at step 10: the best val_loss so far, 2.5, is worse than the median of the averages of 3 other members, 2.',
    )
  })
})

it('asha finds a member within 1 % of the best of a simulated grid with less than 30 % of its steps', () => {
  const { share, best } = simulateAsha(1000, 270, 7)
  expect(best).toBeLessThanOrEqual(1.01)
  expect(share).toBeLessThan(0.3)
})
