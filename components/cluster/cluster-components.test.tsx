import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { makeGpu, makeNode, makePolicy, makeQueueJob } from '../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { noHistory } from './gpus/gpu-history'
import { NodeCard } from './nodes/node-card'
import { PolicyForm } from './policy/policy-form'
import { PriorityDialog } from './queue/queue-actions'
import { QueueTable } from './queue/queue-table'
import { SchedulerButton } from './scheduler-button'
import { SimulateDialog } from './simulate-dialog'

function renderNode(changes: Parameters<typeof makeNode>[0], admin = true) {
  const onOpenGpu = vi.fn()
  renderUi(
    <NodeCard
      node={makeNode(changes)}
      view="details"
      history={noHistory}
      admin={admin}
      many={false}
      onOpenGpu={onOpenGpu}
    />,
  )
  return onOpenGpu
}

it('shows a node with its GPUs, jobs and worker warnings', () => {
  const jobs = [{ job_id: 'j1', name: 'training', user_id: 'ada', user_name: 'Ada Lovelace', share: 0.5 }]
  const gpus = [makeGpu(), makeGpu({ gpu_id: 'gpu-1', index: 1, state: 'shared', allocated: 0.5, jobs })]
  const onOpenGpu = renderNode({ gpus, warnings: ['no swap limit', 'old driver', 'no GPU metrics'] })
  expect(screen.getByText('2 × NVIDIA A100 · 0.5/8 cores, 1.0/16 GiB allocated')).toBeTruthy()
  expect(screen.getByText('3 worker warnings')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'training' }).getAttribute('href')).toBe('/jobs/j1')
  expect(screen.getByText('Ada Lovelace (ada)')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: /GPU 1/ }))
  expect(onOpenGpu).toHaveBeenCalledWith('gpu-1')
})

it('shows the warm containers of a node and their memory, if it has any', () => {
  renderNode({ warm_containers: 2, warm_memory_mib: 4 })
  expect(screen.getByText(/^2 warm containers, 4 MiB/)).toBeTruthy()
})

it('links a node with failed checks to what to do', () => {
  renderNode({ failed_checks: 2 })
  expect(screen.getByText(/^2 checks of lab-1 failed\./)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'See what to do' }).getAttribute('href')).toBe(
    '/admin/health#node-3',
  )
})

it('pauses a node with a reason', async () => {
  answerWith({ 'PATCH /api/nodes/3': makeNode({ state: 'paused' }) })
  renderNode({})
  clickButton(/^Pause ?lab-1$/)
  typeInto('Reason', 'new fan')
  clickButton('Pause node')
  await screen.findByText('lab-1 paused')
  expect(sentRequests[0]?.body).toEqual({ paused: true, reason: 'new fan' })
})

it.each([
  ['paused', /^Resume ?lab-1$/, { paused: false }],
  ['quarantined', /^End quarantine ?of lab-1$/, { quarantined: false }],
] as const)('returns a %s node to service', async (state, button, change) => {
  answerWith({ 'PATCH /api/nodes/3': makeNode() })
  renderNode({ state, reason: 'An admin paused it.' })
  expect(screen.getByText('An admin paused it.')).toBeTruthy()
  clickButton(button)
  await waitFor(() => expect(sentRequests[0]?.body).toEqual(change))
})

it.each([
  [
    'in the future',
    { next_at: '2100-01-01T00:00:00Z', last_at: null, last_error: null },
    /has not tested itself yet/,
  ],
  [
    'after a failure',
    { next_at: '2026-01-01T00:00:00Z', last_at: '2026-01-01T00:00:00Z', last_error: 'No disk space.' },
    /tests itself now .*No disk space\./,
  ],
  ['if it is disabled', { next_at: null, last_at: null, last_error: null }, /self-test is off/],
])('shows the self-test of a quarantined node %s', (_, probe, text) => {
  renderNode({ state: 'quarantined', reason: 'Too many failures.', probe })
  expect(document.body.textContent).toMatch(text)
})

it('offers to forget a lost node', () => {
  renderNode({ state: 'lost' })
  expect(screen.getByRole('button', { name: /^Forget ?lab-1$/ })).toBeTruthy()
})

it('shows researchers no actions', () => {
  renderNode({ state: 'lost' }, false)
  expect(screen.queryByRole('button', { name: /Forget|Pause/ })).toBeNull()
})

it('checks the number of simulated nodes before it creates them', async () => {
  answerWith({ 'POST /api/gpu/initialize': {} })
  renderUi(<SimulateDialog />)
  clickButton('Simulated nodes…')
  typeInto('Nodes', '65')
  clickButton('Apply')
  await screen.findByText('Use a whole number from 0 to 64.')
  expect(sentRequests).toEqual([])
  typeInto('Nodes', '3')
  clickButton('Apply')
  await waitFor(() => expect(sentRequests[0]?.body).toMatchObject({ node_count: 3, gpus_per_node: 8 }))
})

it('saves a policy, where no limit of concurrent jobs is null', async () => {
  answerWith({ 'PUT /api/orchestrator/policy': makePolicy() })
  renderUi(<PolicyForm policy={makePolicy({ max_concurrent_jobs: 4 })} />)
  typeInto('Queue size', 'many')
  clickButton('Save policy')
  await screen.findByText('Use a whole number from 0 to 1,000,000.')
  typeInto('Queue size', '77')
  typeInto('Concurrent jobs', '')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Backfill' }))
  fireEvent.click(screen.getByRole('checkbox', { name: 'Predicted run times' }))
  const mustExist = screen.getByRole('checkbox', { name: 'Projects must exist' })
  expect(mustExist).toHaveProperty('checked', false)
  fireEvent.click(mustExist)
  clickButton('Save policy')
  await screen.findByText('Policy saved')
  expect(sentRequests[0]?.body).toMatchObject({
    max_queue_size: 77,
    max_concurrent_jobs: null,
    backfill: false,
    predict_run_times: false,
    require_existing_projects: true,
  })
})

it('accepts only priorities from -100 to 100', async () => {
  const job = makeQueueJob()
  const detail = { ...job, completed_at: null, exit_code: null, instances: [] }
  answerWith({ [`PATCH /api/queue/${job.job_id}/priority`]: detail })
  const onClose = vi.fn()
  renderUi(<PriorityDialog job={job} onClose={onClose} />)
  typeInto('Priority', '101')
  clickButton('Change priority')
  await screen.findByText('Use a whole number from -100 to 100.')
  typeInto('Priority', '7')
  clickButton('Change priority')
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sentRequests[0]?.body).toEqual({ priority: 7 })
})

it('shows the queue without details and actions of other users’ jobs', () => {
  const hidden = makeQueueJob({ job_id: null, name: null, user: null, project_id: null, position: 2 })
  renderUi(<QueueTable shown="waiting" jobs={[makeQueueJob(), hidden]} handle="ada" admin={false} />)
  const rows = screen.getAllByRole('row').slice(1)
  expect(rows[0]?.textContent).toContain('8 GPUs')
  expect(rows[0]?.textContent).toContain('unknown')
  expect(rows[1]?.textContent).toContain('Another user’s job')
  expect(screen.getAllByRole('button')).toHaveLength(1)
})

it('shows what the user of a jobs file typed as priority, beside the priority', () => {
  const line = makeQueueJob({ priority: -3, line_priority: 3 })
  renderUi(
    <QueueTable
      shown="waiting"
      jobs={[line, makeQueueJob({ job_id: null, priority: 5 })]}
      handle="ada"
      admin={false}
    />,
  )
  const [first, second] = screen.getAllByRole('row').slice(1)
  expect(first?.textContent).toContain('-3typed 3')
  expect(second?.textContent).not.toContain('typed')
})

it('names the variables that set the policy again at each start', () => {
  const fields = ['scheduling_policy', 'max_queue_size'] as const
  renderUi(<PolicyForm policy={makePolicy({ set_by_environment: [...fields] })} />)
  expect(document.body.textContent).toContain(
    'set the order (RESEARCH_AGENT_SCHEDULING_POLICY) and the queue size (RESEARCH_AGENT_MAX_QUEUE_SIZE).',
  )
  expect(document.body.textContent).not.toContain('RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED')
})

it('asks before it stops the scheduler', async () => {
  answerWith({ 'POST /api/orchestrator/stop': {} })
  renderUi(<SchedulerButton running setByEnvironment />)
  clickButton('Stop scheduler…')
  const dialog = screen.getByRole('alertdialog', { name: 'Stop the scheduler?' })
  expect(dialog.textContent).toContain('RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED sets it again')
  expect(sentRequests).toEqual([])
})
