import { describe, expect, it } from 'vitest'
import { groupRows } from './contract-group-rows'

describe('groups of rows', () => {
  it('have number, mean, sample standard deviation, and the lowest and the highest value', () => {
    const rows = [2, 4, 4, 4, 5, 5, 7, 9].map((loss) => ({ key: 'a', values: { loss } }))
    const [group] = groupRows(rows, ['loss'])
    expect(group).toMatchObject({
      key: 'a',
      count: 8,
      metrics: { loss: { count: 8, mean: 5, min: 2, max: 9 } },
    })
    expect(group?.metrics.loss?.spread).toBeCloseTo(Math.sqrt(32 / 7), 12)
  })

  it('are in the order of their first rows', () => {
    const rows = ['b', 'a', 'b', 'c', 'a'].map((key) => ({ key, values: {} }))
    expect(groupRows(rows, []).map(({ key, count }) => [key, count])).toEqual([
      ['b', 2],
      ['a', 2],
      ['c', 1],
    ])
  })

  it('have no spread of one value, and no summary without a value', () => {
    const rows = [
      { key: 'a', values: { loss: 3, accuracy: undefined } },
      { key: 'a', values: { loss: Number.NaN } },
    ]
    expect(groupRows(rows, ['loss', 'accuracy', 'other'])).toEqual([
      { key: 'a', count: 2, metrics: { loss: { count: 1, mean: 3, spread: undefined, min: 3, max: 3 } } },
    ])
  })

  it('take only what the rows have themselves as values', () => {
    expect(groupRows([{ key: 'a', values: {} }], ['constructor', '__proto__'])[0]?.metrics).toEqual({})
  })

  it('have a finite mean of large values', () => {
    const rows = [1.5e308, 1.5e308].map((x) => ({ key: 'a', values: { x } }))
    expect(groupRows(rows, ['x'])[0]?.metrics.x).toMatchObject({ mean: 1.5e308, spread: 0 })
  })

  it('are none without rows', () => expect(groupRows([], ['loss'])).toEqual([]))
})
