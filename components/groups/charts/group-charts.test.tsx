import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { router } from '../../testing/navigation'
import { openByKeyboard, renderUi } from '../../testing/render'
import { heldMember, makeGroup, makeMember } from '../testing/make-group'
import { GroupCharts } from './group-charts'

vi.mock('next/navigation', () => import('../../testing/navigation'))
vi.mock('../../jobs/result/result-chart', () => ({ ResultChart: () => <p>the best so far</p> }))

const group = makeGroup({ parameters: ['lr', 'opt'], members: 7 })
const members = [
  ...Array.from({ length: 6 }, (_, index) =>
    makeMember(index, {
      parameters: { lr: (6 - index) / 10, opt: index % 2 ? 'adam' : 'sgd' },
      metrics: { loss: (6 - index) / 10, accuracy: 0.5 },
    }),
  ),
  heldMember(6),
]

beforeEach(() => {
  // jsdom has no canvas.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
  router.push.mockClear()
})

it('the keyboard reads the points of the scatter from the left to the right, and opens the job of one', () => {
  renderUi(<GroupCharts group={group} members={members} />)
  const scatter = screen.getByRole('slider', { name: 'loss by lr, 6 members' })
  fireEvent.keyDown(scatter, { key: 'ArrowRight' })
  expect(scatter.getAttribute('aria-valuetext')).toBe('#5: lr 0.1, opt adam. loss 0.1')
  fireEvent.keyDown(scatter, { key: 'ArrowRight' })
  expect(scatter.getAttribute('aria-valuetext')).toBe('#4: lr 0.2, opt sgd. loss 0.2')
  fireEvent.keyDown(scatter, { key: 'Enter' })
  expect(router.push).toHaveBeenCalledWith(`/jobs/${members[4]?.job_id}`)
})

it('the charts show another parameter and another metric, and the importance of each parameter', async () => {
  renderUi(<GroupCharts group={group} members={members} />)
  expect(screen.getByText('the best so far')).toBeTruthy()
  const bars = within(screen.getByRole('list', { name: 'Importance for loss' })).getAllByRole('listitem')
  expect(bars.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^lr\d+ %$/),
    expect.stringMatching(/^opt\d+ %$/),
  ])
  openByKeyboard(screen.getByRole('combobox', { name: 'Parameter of the chart' }))
  fireEvent.keyDown(await screen.findByRole('option', { name: 'opt' }), { key: 'Enter' })
  openByKeyboard(screen.getByRole('combobox', { name: 'Metric of the charts' }))
  fireEvent.keyDown(await screen.findByRole('option', { name: 'accuracy' }), { key: 'Enter' })
  expect(await screen.findByRole('slider', { name: 'accuracy by opt, 6 members' })).toBeTruthy()
  expect(screen.getByRole('img', { name: /^Parallel coordinates of lr, opt, accuracy/ })).toBeTruthy()
})

it('a wave whose members differ only in texts for people shows the best so far, and no chart of them', () => {
  const texts = members.map((member) => ({ ...member, parameters: { note: `Idea ${member.index}` } }))
  const wave = makeGroup({ kind: 'wave', parameters: ['note'], members: 7 })
  const { container } = renderUi(<GroupCharts group={wave} members={texts} />)
  expect(screen.getByText('the best so far')).toBeTruthy()
  expect(container.querySelector('canvas')).toBeNull()
})

it('a group without metrics has no charts', () => {
  const { container } = renderUi(<GroupCharts group={group} members={[heldMember(0), heldMember(1)]} />)
  expect(container.querySelector('canvas')).toBeNull()
})
