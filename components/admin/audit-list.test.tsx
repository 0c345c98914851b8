import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { answerWith, renderUi } from '../testing/render'
import { AuditList } from './audit-list'

vi.mock('next/navigation', () => import('../testing/navigation'))

it('shows names beside the user ids of actors and targets', async () => {
  const at = '2026-11-22T10:00:00.000Z'
  const event = { id: '1', at, actor: 'root', actor_name: 'Grace Hopper', detail: {} }
  answerWith({
    'GET /api/audit': [
      { ...event, action: 'user_updated', target: 'ada', target_name: 'Ada Lovelace' },
      { ...event, id: '2', action: 'node_forgotten', target: 'lab-1', target_name: null },
      {
        ...event,
        id: '3',
        actor: null,
        actor_name: null,
        action: 'started',
        target: null,
        target_name: null,
      },
    ],
  })
  renderUi(<AuditList />)
  await screen.findByRole('cell', { name: 'Ada Lovelace (ada)' })
  expect(screen.getAllByRole('cell', { name: 'Grace Hopper (root)' })).toHaveLength(2)
  for (const name of ['lab-1', 'gpuq', '–'])
    expect(screen.getAllByRole('cell', { name }).length).toBeGreaterThan(0)
})
