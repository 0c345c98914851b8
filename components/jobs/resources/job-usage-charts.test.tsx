import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makeJob } from '../../testing/fixtures'
import { answerWith, renderUi, sentRequests } from '../../testing/render'
import { JobUsageCharts } from './job-usage-charts'

const job = makeJob({ status: 'completed' })
const task = {
  rank: 0,
  node: 'box',
  started_at: '2026-11-22T10:00:00.000Z',
  interval_s: 5,
  cpu_cores: [0.5, null, 1.25],
  memory_mib: [100, null, 512],
  cpu_milli: 2000,
  memory_limit_mib: 1024,
}

it('show the last values beside the limits, and name the node if there are several', async () => {
  answerWith({
    [`GET /api/jobs/${job.job_id}/usage`]: { attempt: 1, tasks: [task, { ...task, rank: 1, node: 'rack' }] },
  })
  renderUi(<JobUsageCharts job={job} enabled />)
  expect(await screen.findByRole('img', { name: 'CPU of box, last 1.25 cores of 2 cores' })).toBeTruthy()
  expect(screen.getByRole('img', { name: 'Memory of rack, last 0.5 GiB of 1.0 GiB' })).toBeTruthy()
})

it('load nothing where they are hidden', () => {
  answerWith({})
  const { container } = renderUi(<JobUsageCharts job={job} enabled={false} />)
  expect(container.textContent).toBe('')
  expect(sentRequests).toEqual([])
})
