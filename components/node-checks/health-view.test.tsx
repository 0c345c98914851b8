import { screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { NodeReport } from '@/lib/node-checks/contract'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { HealthView } from './health-view'

const report = (changes: Partial<NodeReport> = {}): NodeReport => ({
  node_id: 3,
  name: 'lab-1',
  state: 'ready',
  checked_at: '2026-01-01T00:00:00Z',
  checking: false,
  failures: 1,
  warnings: 1,
  checks: [
    {
      id: 'gpu_compute',
      title: 'Computation on the GPU',
      status: 'failure',
      found: 'A CUDA kernel failed on GPU 1.',
      action: 'Replace it.',
    },
    {
      id: 'engine',
      title: 'Docker engine',
      status: 'warning',
      found: 'It is old.',
      action: 'Update it.',
    },
    { id: 'clock', title: 'Clock', status: 'ok', found: 'It is right.', action: null },
  ],
  ...changes,
})

function renderHealth(...reports: NodeReport[]) {
  answerWith({ 'GET /api/nodes/checks': reports })
  renderUi(<HealthView />)
}

it('shows the problems of a node with what to do, and the other checks apart', async () => {
  renderHealth(report())
  const problems = within(await screen.findByRole('list', { name: 'Problems of lab-1' }))
  expect(problems.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Computation on the GPUFailureA CUDA kernel failed on GPU 1.What to do: Replace it.',
    'Docker engineWarningIt is old.What to do: Update it.',
  ])
  expect(screen.getByText('1 failure')).toBeTruthy()
  expect(screen.getByText('1 check without a problem').closest('details')?.open).toBe(false)
})

it('shows all checks of a node without problems', async () => {
  const checks = report().checks.slice(2)
  renderHealth(report({ failures: 0, warnings: 0, checks }))
  expect(await screen.findByText('no problems')).toBeTruthy()
  expect(screen.getByText('It is right.').closest('details')?.open).toBe(true)
})

it('checks a node again', async () => {
  answerWith({ 'POST /api/nodes/3/checks': report({ checking: true }) })
  renderHealth(report())
  await screen.findByRole('heading', { name: 'lab-1' })
  clickButton(/^Check again ?lab-1$/)
  await screen.findByText('lab-1 checks itself')
  expect(sentRequests).toContainEqual(
    expect.objectContaining({ method: 'POST', path: '/api/nodes/3/checks', body: '' }),
  )
})

it('says that a check runs', async () => {
  renderHealth(report({ checking: true }))
  expect(await screen.findByText(/^A check runs/)).toBeTruthy()
})

it('offers no check of a node without a worker', async () => {
  renderHealth(report({ state: 'lost', checked_at: null, failures: 0, warnings: 0, checks: [] }))
  expect(await screen.findByText('Not checked. Start its worker.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Check/ })).toBeNull()
})

it('says what to do without nodes', async () => {
  renderHealth()
  await waitFor(() => expect(screen.getByText('No nodes to check')).toBeTruthy())
})
