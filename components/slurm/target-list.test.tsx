import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { SlurmTargetView } from '@/lib/slurm/contract'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { TargetList } from './target-list'
import { makeSlurm } from './testing/fixtures'

const target: SlurmTargetView = {
  id: '01931111-0000-7000-8000-000000000009',
  owner: 'ada',
  project_id: 'thesis',
  pool: null,
  account: 'lab',
  partition: null,
  qos: null,
  reservation: null,
}

it('adds a row, and shows errors next to their fields', async () => {
  const message = 'Slurm has no partition "gpus": it has gpu'
  answerWith({
    'GET /api/slurm/targets': [],
    'GET /api/slurm': makeSlurm(),
    'POST /api/slurm/targets': new ApiProblem(422, {
      code: 'invalid_fields',
      detail: `partition: ${message}`,
      errors: [{ path: 'partition', message }],
    }),
  })
  renderUi(<TargetList />)
  await screen.findByText('All jobs use Slurm’s defaults')
  clickButton('New row')
  await screen.findByText(/One of gpu\./)
  typeInto(/^Project/, 'thesis')
  typeInto(/^Account/, 'two words')
  clickButton('Add')
  await screen.findByText(/must be OWNER/i)
  expect(screen.getByText(/must be a name of Slurm/i)).toBeTruthy()
  typeInto(/^Project/, 'ada/thesis')
  typeInto(/^Account/, 'lab')
  typeInto(/^Partition/, 'gpus')
  clickButton('Add')
  await screen.findByText(/Slurm has no partition/)
  answerWith({ 'POST /api/slurm/targets': target })
  typeInto(/^Partition/, '')
  clickButton('Add')
  await screen.findByText('Row of ada/thesis added')
  expect(sentRequests.findLast(({ method }) => method === 'POST')?.body).toEqual({
    project: 'ada/thesis',
    pool: null,
    account: 'lab',
    partition: null,
    qos: null,
    reservation: null,
  })
})

it('lists and changes rows', async () => {
  answerWith({
    'GET /api/slurm/targets': [
      target,
      { ...target, id: 'other', owner: null, project_id: null, pool: 'best-effort', qos: 'low' },
    ],
    'GET /api/slurm': makeSlurm(),
    [`PUT /api/slurm/targets/${target.id}`]: target,
  })
  renderUi(<TargetList />)
  const row = await screen.findByRole('row', { name: /ada\/thesis/ })
  expect(within(row).getByText('lab')).toBeTruthy()
  expect(screen.getByRole('row', { name: /pool best-effort/ }).textContent).toContain('low')
  clickButton('Change the row of ada/thesis')
  typeInto(/^QOS/, 'high')
  clickButton('Save')
  await screen.findByText('Row of ada/thesis saved')
  expect(sentRequests.find(({ method }) => method === 'PUT')?.body).toEqual({
    account: 'lab',
    partition: null,
    qos: 'high',
    reservation: null,
  })
})
