import { describe, expect, it } from 'vitest'
import { importances, type Observation } from './importance'

/** Numbers that look random, the same in each run. */
function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

function observe(count: number, resultOf: (parameters: Record<string, number>) => number): Observation[] {
  const random = noise(7)
  return Array.from({ length: count }, () => {
    const parameters = { a: random(), b: random(), c: Math.floor(random() * 4) }
    return { parameters, value: resultOf(parameters) }
  })
}

const sharesOf = (observations: Observation[]) =>
  Object.fromEntries(
    importances(['a', 'b', 'c'], observations).map(({ parameter, share }) => [parameter, share]),
  )

describe('the importance of parameters', () => {
  it('a parameter that decides alone explains nearly all, and the others nothing', () => {
    const { a, b, c } = sharesOf(observe(500, ({ a: x = 0 }) => x * 3))
    expect(a).toBeGreaterThan(0.95)
    expect(b).toBeLessThan(0.05)
    expect(c).toBeLessThan(0.05)
  })

  it('two parameters with equal effect explain about a half each, as in an analysis by hand', () => {
    const { a, b } = sharesOf(observe(2_000, ({ a: x = 0, b: y = 0 }) => x + y))
    expect(a).toBeGreaterThan(0.44)
    expect(a).toBeLessThan(0.56)
    expect(b).toBeGreaterThan(0.44)
    expect(b).toBeLessThan(0.56)
  })

  it('an optimum in the middle of the range counts, although it has no slope', () => {
    expect(sharesOf(observe(500, ({ a: x = 0 }) => (x - 0.5) ** 2)).a).toBeGreaterThan(0.9)
  })

  it('noise is explained by nothing, also with few observations and many values', () => {
    const random = noise(3)
    for (const { share } of importances(
      ['a', 'b', 'c'],
      observe(40, () => random()),
    ))
      expect(share).toBeLessThan(0.25)
  })

  it('epsilon squared of three small groups is that of the formula', () => {
    const values = { x: [1, 2, 3], y: [2, 3, 4], z: [6, 7, 8] }
    const observations = Object.entries(values).flatMap(([p, own]) =>
      own.map((value) => ({ parameters: { p }, value })),
    )
    // Between: 42, within: 6, in all 48; (42 - 2 · 6/6) / 48.
    expect(importances(['p'], observations)).toEqual([{ parameter: 'p', share: expect.closeTo(40 / 48, 10) }])
  })

  it('a few numbers that all differ are put into groups, and texts that all differ are left out', () => {
    const observations = Array.from({ length: 8 }, (_, at) => ({
      parameters: { lr: at, text: `t${at}` },
      value: at < 4 ? 0 : 1,
    }))
    expect(importances(['lr', 'text'], observations)).toEqual([{ parameter: 'lr', share: 1 }])
  })

  it('without a difference, or with too few observations, nothing is explained', () => {
    expect(
      importances(
        ['c'],
        observe(50, () => 1),
      ).map(({ share }) => share),
    ).toEqual([0])
    expect(
      importances(
        ['a'],
        observe(3, ({ a = 0 }) => a),
      ),
    ).toEqual([])
    expect(
      importances(
        ['d'],
        observe(50, ({ a = 0 }) => a),
      ),
    ).toEqual([])
  })
})
