import { screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { makeJob } from '../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { JobCurves } from './job-curves'

const job = makeJob({ status: 'running' })
const path = `/api/jobs/${job.job_id}/metrics`

function setWide(matches: boolean): void {
  const listeners = { addEventListener: () => undefined, removeEventListener: () => undefined }
  vi.stubGlobal('matchMedia', () => ({ matches, ...listeners }))
}

beforeEach(() => {
  answerWith({
    [`GET ${path}`]: {
      attempt: 1,
      rank: 0,
      x: 'step',
      axes: ['step', 'line', 'time'],
      lines: 3,
      names: ['loss', 'acc'],
      name_count: 2,
      complete: true,
      progress: 1,
      approximate: false,
      series: [{ name: 'loss', count: 3, not_finite: 0, last: 0.25, x: [1, 2, 3], y: [1, 0.5, 0.25] }],
    },
  })
})

it('show the last values, and lead to all metrics', async () => {
  setWide(true)
  const open = vi.fn()
  renderUi(<JobCurves job={job} onOpen={open} />)
  expect(await screen.findByRole('img', { name: 'loss, last 0.25' })).toBeTruthy()
  clickButton('All 2')
  expect(open).toHaveBeenCalledOnce()
})

it('load nothing in a narrow window, where they are hidden', () => {
  setWide(false)
  renderUi(<JobCurves job={job} onOpen={() => undefined} />)
  expect(screen.getByText(/appear here/)).toBeTruthy()
  expect(sentRequests).toEqual([])
})
