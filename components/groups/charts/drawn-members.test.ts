import { expect, it } from 'vitest'
import { heldMember, makeGroup, makeMember } from '../testing/make-group'
import { axesOf, chooseLines, valuesOf, withMetric } from './drawn-members'

it('the lines of 10,000 members are a sample that has the best of them, drawn last', () => {
  const drawn = withMetric(
    Array.from({ length: 10_000 }, (_, index) =>
      makeMember(index, { metrics: { loss: (index * 7_919) % 10_000 } }),
    ),
    'loss',
  )
  const lines = chooseLines(drawn, true)
  expect(lines.length).toBeLessThanOrEqual(2_000)
  expect(lines.length).toBeGreaterThan(1_500)
  expect(lines.slice(-200).map(({ value }) => value)).toEqual(
    Array.from({ length: 200 }, (_, at) => 199 - at),
  )
  expect(chooseLines(drawn, false).at(-1)?.value).toBe(9_999)
})

it('only members that have the metric are drawn, in the order from the worst to the best', () => {
  const drawn = withMetric([makeMember(0), makeMember(1), heldMember(2)], 'loss')
  expect(valuesOf(drawn, 'lr')).toEqual([0.1, 0.2])
  expect(chooseLines(drawn, true).map(({ member }) => member.index)).toEqual([0, 1])
})

it('texts for people are no axis, and values that several members share are one, however long they are', () => {
  const members = Array.from({ length: 4 }, (_, index) =>
    makeMember(index, {
      parameters: {
        lr: index,
        name: `idea ${index}`,
        hypothesis: 'short',
        prompt: `Idea ${index}: a longer warm-up lowers the loss.`,
        data: `/data/imagenet/shards/part-${index % 2}.tar`,
      },
    }),
  )
  const group = makeGroup({ kind: 'wave', parameters: Object.keys(members[0]?.parameters ?? {}) })
  expect(axesOf(group, members)).toEqual(['lr', 'name', 'data'])
  expect(axesOf({ ...group, kind: 'sweep' }, members)).toContain('hypothesis')
})
