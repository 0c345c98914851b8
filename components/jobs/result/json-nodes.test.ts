import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listNodes, openLevels } from './json-nodes'

const names = (root: unknown, ...open: string[]) => listNodes(root, new Set(open)).map(({ name }) => name)

describe('listNodes', () => {
  const value = { model: { layers: [1, 2] }, loss: 0.5, empty: {} }

  it('lists only what is open', () => {
    expect(names(value)).toEqual([null])
    expect(names(value, '0')).toEqual([null, 'model', 'loss', 'empty'])
    expect(names(value, '0', '0/0', '0/0/0')).toEqual([null, 'model', 'layers', '0', '1', 'loss', 'empty'])
  })

  it('knows which nodes can be opened, and their positions', () => {
    const rows = listNodes(value, new Set(['0']))
    expect(rows.map(({ expanded }) => expanded)).toEqual([true, false, null, null])
    expect(rows[2]).toMatchObject({ level: 2, position: 2, siblings: 3, parent: '0', kind: 'number' })
  })

  it('puts many children in groups, and groups in groups', () => {
    const list = Array.from({ length: 25_000 }, (_, index) => index)
    expect(names(list, '0')).toEqual([null, '0 … 9999', '10000 … 19999', '20000 … 24999'])
    const opened = listNodes(list, new Set(['0', '0/2', '0/2/1']))
    expect(opened.find(({ id }) => id === '0/2/1')?.name).toBe('20100 … 20199')
    expect(opened.find(({ id }) => id === '0/2/1/7')).toMatchObject({ name: '20107', value: 20_107 })
    expect(names(Array(100).fill(0), '0')).toHaveLength(101)
    expect(names(Array(101).fill(0), '0')).toEqual([null, '0 … 99', '100 … 100'])
    expect(names(Array(10_000).fill(0), '0')).toHaveLength(101)
  })

  it('opens a long string', () => {
    const long = 'x'.repeat(1000)
    expect(listNodes(long, new Set(['0'])).map(({ kind, value: shown }) => [kind, shown])).toEqual([
      ['string', long],
      ['text', long],
    ])
  })

  it('lists very deeply nested values', () => {
    const depth = 20_000
    let deep: unknown = 'bottom'
    for (let level = 0; level < depth; level++) deep = [deep]
    const ids = ['0']
    for (let level = 1; level < 2000; level++) ids.push(`${ids.at(-1)}/0`)
    expect(listNodes(deep, new Set(ids))).toHaveLength(2001)
  })

  it('shows every value of any JSON once all is open', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, inner) => sum + count(inner), 1)
        : 1
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const rows = listNodes(value, openLevels(value, 1_000_000)).filter(
          ({ kind }) => kind !== 'group' && kind !== 'text',
        )
        expect(rows).toHaveLength(count(value))
        expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
      }),
    )
  })
})

it('opens as many levels as fit', () => {
  const value = { a: [1, 2, 3], b: [4, 5, 6] }
  expect(openLevels(value, 3)).toEqual(new Set(['0']))
  expect(openLevels(value, 9)).toEqual(new Set(['0', '0/0', '0/1']))
})
