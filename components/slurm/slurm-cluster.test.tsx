import { screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { SlurmClusterView } from '@/lib/slurm/contract'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { SlurmCluster } from './slurm-cluster'
import { makeSlurm, makeSlurmNode } from './testing/fixtures'

const measured = {
  total_gpus: 8,
  available_gpus: 8,
  allocated_gpus: 0,
  utilization_percent: 0,
  load_percent: null,
  nodes: 1,
  ready_nodes: 1,
  simulated_gpus: 0,
}

async function show(slurm: SlurmClusterView, admin = false): Promise<void> {
  answerWith({ 'GET /api/slurm': slurm })
  renderUi(<SlurmCluster measured={measured} scheduler={undefined} admin={admin} />)
  await screen.findByRole('heading', { name: 'Slurm nodes' })
}

it('shows states, reasons, GPUs by type and missing workers', async () => {
  const nodes = [
    makeSlurmNode(),
    makeSlurmNode({
      name: 'gpu02',
      state: 'drained',
      reason: 'new fan',
      slurm_states: ['IDLE', 'DRAIN'],
      worker: 'missing',
    }),
  ]
  await show(
    makeSlurm({
      nodes,
      totals: { ...makeSlurm().totals, without_worker: ['gpu02'], nodes_without_worker: 1 },
    }),
  )
  const row = screen.getByRole('row', { name: /gpu01/ })
  expect(row.textContent).toContain('Partly used')
  expect(row.textContent).toMatch(/a1005 of 8/)
  const drained = screen.getByRole('row', { name: /gpu02/ })
  expect(drained.textContent).toContain('new fan')
  expect(within(drained).getByText('none')).toBeTruthy()
  expect(screen.getByText('1 node without a worker of gpuq')).toBeTruthy()
  expect(screen.getByText(/An admin can start a worker there/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Drain/ })).toBeNull()
})

it('drains a node with a reason, which Slurm requires', async () => {
  await show(makeSlurm({ may_drain: true }), true)
  answerWith({ 'PATCH /api/slurm/nodes/gpu01': makeSlurmNode() })
  clickButton(/^Drain ?gpu01$/)
  clickButton('Drain node')
  await screen.findByText(/Slurm requires a reason/)
  typeInto('Reason', 'new fan')
  clickButton('Drain node')
  await screen.findByText('Slurm is asked to drain gpu01')
  expect(sentRequests.find(({ method }) => method === 'PATCH')?.body).toEqual({
    drained: true,
    reason: 'new fan',
  })
})

it('resumes a drained node, and shows a request that Slurm refused', async () => {
  const request = {
    drained: false,
    reason: null,
    requested_by: 'root',
    requested_at: '2026-11-23T10:00:00.000Z',
    problem: 'Invalid user id',
  }
  const node = makeSlurmNode({ state: 'drained', request })
  await show(makeSlurm({ may_drain: true, nodes: [node] }), true)
  expect(screen.getByText('Resume requested by root. Slurm refused it: Invalid user id')).toBeTruthy()
  answerWith({ 'PATCH /api/slurm/nodes/gpu01': node })
  clickButton(/^Resume ?gpu01$/)
  await waitFor(() =>
    expect(sentRequests.find(({ method }) => method === 'PATCH')?.body).toEqual({ drained: false }),
  )
})

it('shows what other jobs occupy, and their users only to admins', async () => {
  const other = {
    slurm_id: 7,
    user: 'grace',
    name: 'fold',
    state: 'RUNNING',
    partition: 'gpu',
    nodes: ['gpu01'],
    gpus: 4,
    cpus: 16,
    started_at: '2026-11-23T09:00:00.000Z',
  }
  await show(makeSlurm({ other_jobs: { running: 3, waiting: 2, gpus: 9, largest: [other] } }), true)
  expect(screen.getByText('3 jobs that gpuq did not submit use 9 GPUs. 2 wait.')).toBeTruthy()
  expect(screen.getByText('and 2 smaller jobs')).toBeTruthy()
  expect(screen.getByText('grace')).toBeTruthy()
})

it.each([
  [{ running: 0, waiting: 0, gpus: 0 }, "No other Slurm jobs use this cluster's GPUs."],
  [{ running: 0, waiting: 1, gpus: 0 }, "No other Slurm jobs use this cluster's GPUs. 1 waits."],
  [{ running: 1, waiting: 0, gpus: 0 }, '1 job that gpuq did not submit uses no GPUs.'],
])('says in words that other jobs use nothing: %j', async (counts, sentence) => {
  await show(makeSlurm({ other_jobs: { ...counts, largest: [] } }))
  expect(screen.getByText(sentence)).toBeTruthy()
})

it('says what to do before Slurm was read', async () => {
  const totals = { ...makeSlurm().totals, nodes: 0 }
  await show(makeSlurm({ read_at: null, nodes: [], matching_nodes: 0, totals, partitions: [] }))
  expect(screen.getByText('Slurm was not read yet')).toBeTruthy()
})
