import { expect, it } from 'vitest'
import type { Experiment } from './contract'
import { firstMetrics, treeRows } from './contract-tree'

const experiment = (id: string, parent: string | null = null) => ({ id, parent }) as Experiment
const shape = (rows: ReturnType<typeof treeRows>) => rows.map((row) => `${row.depth} ${row.experiment.id}`)

const newestFirst = [experiment('c', 'a'), experiment('d'), experiment('b', 'a'), experiment('a')]

it('each experiment is below the one that it follows, in the order of the list', () => {
  expect(shape(treeRows(newestFirst))).toEqual(['0 d', '0 a', '1 c', '1 b'])
  expect(treeRows(newestFirst)[2]?.parent?.id).toBe('a')
})

it('what follows a collapsed experiment is left out', () => {
  expect(shape(treeRows(newestFirst, new Set(['a'])))).toEqual(['0 d', '0 a'])
})

it('an experiment whose parent is not in the list is a root', () => {
  expect(shape(treeRows([experiment('b', 'a')]))).toEqual(['0 b'])
})

it('a chain of 10,000 experiments has a row for each', () => {
  const chain = Array.from({ length: 10_000 }, (_, at) => experiment(`${at}`, at === 0 ? null : `${at - 1}`))
  expect(treeRows(chain.toReversed()).at(-1)).toMatchObject({ depth: 9_999, experiment: { id: '9999' } })
})

it('the first metrics are those with the first names', () => {
  expect(firstMetrics({ metrics: { d: 4, b: 2, a: 1, c: 3 } })).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ])
})
