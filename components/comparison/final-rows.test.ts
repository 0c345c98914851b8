import { describe, expect, it } from 'vitest'
import { finalRows } from './final-rows'

const jobs = [
  { id: 'a', values: { loss: 3, acc: 0.5, epoch: 9, 'my reward': 1 } },
  { id: 'b', values: { loss: 1, acc: 0.9, epoch: 10, 'my reward': 1 } },
  { id: 'c', values: { loss: 2, acc: 0.7 } },
]
const alone = jobs.map(({ id }) => ({ id, jobs: [id] }))

/** The means of a metric; the best has a star. */
function read(metric: string, groups: { id: string; jobs: string[] }[], turned: string[] = []) {
  const row = finalRows(jobs, groups, turned).find((own) => own.metric === metric)
  return row?.cells.map((cell) => cell && `${cell.summary.mean}${cell.isBest ? '*' : ''}`)
}

describe('the best of the last values', () => {
  it('is the one that the name of the metric suggests, or the other one if it is turned', () => {
    expect(read('loss', alone)).toEqual(['3', '1*', '2'])
    expect(read('loss', alone, ['loss'])).toEqual(['3*', '1', '2'])
    expect(read('acc', alone)).toEqual(['0.5', '0.9*', '0.7'])
    expect(read('acc', alone, ['loss', 'acc'])).toEqual(['0.5*', '0.9', '0.7'])
  })

  it('is none of a counter, and none if all values are equal or there is one column', () => {
    expect(read('epoch', alone)).toEqual(['9', '10', null])
    expect(finalRows(jobs, alone, ['epoch']).find(({ metric }) => metric === 'epoch')?.best).toBeNull()
    expect(read('my reward', alone)).toEqual(['1', '1', null])
    expect(read('loss', [{ id: 'all', jobs: ['a', 'b', 'c'] }])).toEqual(['2'])
  })

  it('is the best mean of the groups', () => {
    const groups = [
      { id: 'x', jobs: ['b'] },
      { id: 'y', jobs: ['a', 'c'] },
    ]
    expect(read('loss', groups)).toEqual(['1*', '2.5'])
    const [, y] = finalRows(jobs, groups, []).find(({ metric }) => metric === 'epoch')?.cells ?? []
    expect(y?.summary).toMatchObject({ count: 1, mean: 9 })
  })
})
