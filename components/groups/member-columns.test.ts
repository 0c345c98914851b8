import { expect, it } from 'vitest'
import { arrangeMembers, columnsOf, metricsOf, runTimeOf } from './member-columns'
import { heldMember, makeGroup, makeMember } from './testing/make-group'

const members = [
  makeMember(0, { parameters: { lr: 0.1, opt: 'sgd' }, metrics: { loss: 0.5, accuracy: 0.8 } }),
  makeMember(1, { parameters: { lr: 0.01, opt: 'adam' }, metrics: { loss: 0.25 }, status: 'failed' }),
  makeMember(2, { parameters: { lr: 1e-3, opt: 'adam' }, metrics: { loss: 10 } }),
  heldMember(3),
]
const group = makeGroup({ parameters: ['lr', 'opt'] })
const columns = columnsOf(group, members)

it('a group has a column for each parameter and metric, the metric of the objective first', () => {
  expect(columns.map(({ label }) => label)).toEqual([
    'Member',
    'Status',
    'lr',
    'opt',
    'loss',
    'accuracy',
    'Run time',
  ])
  for (const status of ['failed', 'pending', 'paused'] as const) {
    const member = makeMember(0, { status, reason_text: 'Because.' })
    const reason = columnsOf(group, [member]).find(({ label }) => label === 'Reason')
    expect(reason?.value(member)).toBe('Because.')
  }
  expect(metricsOf(members, null)).toEqual(['accuracy', 'loss'])
  expect(columnsOf(group, [makeMember(0, { repeat: 1 })]).map(({ label }) => label)).toContain('Repeat')
})

it('members are sorted by numbers or texts, and those without a value are last in both directions', () => {
  const sorted = (column: string, ascending: boolean) =>
    arrangeMembers(members, columns, { status: 'all', order: { column, ascending } }).map(
      ({ index }) => index,
    )
  expect(sorted('metric loss', true)).toEqual([1, 0, 2, 3])
  expect(sorted('metric loss', false)).toEqual([2, 0, 1, 3])
  expect(sorted('parameter opt', true)).toEqual([1, 2, 0, 3])
})

it('a metric whose last value is NaN has a column, and comes after all numbers in both directions', () => {
  const diverged = makeMember(4, { metrics: {}, not_finite: ['loss'] })
  const all = [heldMember(3), diverged, ...members.slice(0, 3)]
  expect(metricsOf([diverged], null)).toEqual(['loss'])
  const order = (ascending: boolean) =>
    arrangeMembers(all, columns, { status: 'all', order: { column: 'metric loss', ascending } }).map(
      ({ index }) => index,
    )
  expect(order(true)).toEqual([1, 0, 2, 4, 3])
  expect(order(false)).toEqual([2, 0, 1, 4, 3])
})

it('a filter by status keeps the order of the members', () => {
  expect(
    arrangeMembers(members, columns, { status: 'completed', order: null }).map(({ index }) => index),
  ).toEqual([0, 2])
})

it('the run time of a member that runs is the time until now', () => {
  const running = makeMember(0, { ended_at: null })
  expect(runTimeOf(running, Date.parse('2026-11-22T10:01:00.000Z'))).toBe(60_000)
  expect(runTimeOf(running, null)).toBeNull()
  expect(runTimeOf(makeMember(0), null)).toBe(300_000)
  expect(runTimeOf(heldMember(0), 1)).toBeNull()
})
