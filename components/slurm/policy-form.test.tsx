import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makePolicy } from '../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { SlurmPolicyForm } from './policy-form'

it('says that Slurm decides, and saves only what applies', async () => {
  answerWith({ 'PUT /api/orchestrator/policy': makePolicy() })
  renderUi(<SlurmPolicyForm policy={makePolicy({ max_queue_size: 100 })} />)
  expect(screen.getByText('Slurm decides')).toBeTruthy()
  expect(screen.queryByLabelText(/Ageing/)).toBeNull()
  typeInto('Queue size', '50000')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Projects must exist' }))
  clickButton('Save policy')
  await waitFor(() =>
    expect(sentRequests[0]?.body).toEqual({
      max_queue_size: 50_000,
      enable_auto_retry: true,
      idle_gpu_minutes: null,
      require_existing_projects: true,
    }),
  )
})
