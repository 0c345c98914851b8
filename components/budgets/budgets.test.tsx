import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Budget } from '@/lib/budgets/contract'
import { answerWith, renderUi, sentRequests } from '../testing/render'
import { UserBudgets } from './budgets'

const budget = (kind: Budget['kind'], label: string): Budget => ({
  kind,
  owner_id: '01931111-0000-7000-8000-0000000000aa',
  name: 'ada',
  label,
  gpu_hours: 40,
  period: 'week',
  resets_at: null,
  used_gpu_hours: 10,
  left_gpu_hours: 30,
  gpus: 0,
  when_used_up: 'wait',
  sentence: '10 of 40 GPU hours used this week; 30 left.',
})

it('the budgets of a user are shown without those of their projects and tokens', async () => {
  answerWith({ 'GET /api/budgets': [budget('user', 'User ada'), budget('project', 'Project ada/resnet')] })
  renderUi(<UserBudgets />)
  expect((await screen.findByRole('listitem')).textContent).toBe(
    'User ada: 10 of 40 GPU hours used this week; 30 left.',
  )
})

it('a user without a budget sees none', async () => {
  answerWith({ 'GET /api/budgets': [budget('token', 'Token claude')] })
  const { container } = renderUi(<UserBudgets />)
  await waitFor(() => expect(sentRequests).toHaveLength(1))
  expect(container.textContent).toBe('')
})
