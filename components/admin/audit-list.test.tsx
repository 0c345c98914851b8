import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { answerWith, openByKeyboard, renderUi, sentRequests } from '../testing/render'
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

it('says in words what happened, and filters by an action from a list', async () => {
  window.history.replaceState(null, '', '/admin/audit')
  const event = { at: '2026-11-22T10:00:00.000Z', actor: 'root', actor_name: null, target_name: null }
  answerWith({
    'GET /api/audit': [
      {
        ...event,
        id: '1',
        action: 'user_updated',
        target: 'ada',
        detail: { role: null, may_create_classes: true, limits: { max_active_jobs: 1500, max_gpus: null } },
      },
      { ...event, id: '2', action: 'code_of_an_old_version', target: null, detail: { members: ['a', 'b'] } },
      { ...event, id: '3', action: 'constructor', target: null, detail: {} },
    ],
  })
  renderUi(<AuditList />)
  await screen.findByRole('cell', { name: 'User changed' })
  screen.getByRole('cell', { name: 'may create classes: yes · max active jobs: 1,500 · max gpus: none' })
  screen.getByRole('cell', { name: 'code of an old version' })
  screen.getByRole('cell', { name: 'constructor' })
  screen.getByRole('cell', { name: 'members: a, b' })
  openByKeyboard(screen.getByRole('combobox', { name: 'Action' }))
  fireEvent.click(await screen.findByRole('option', { name: 'Token created' }))
  expect(window.location.search).toBe('?action=token_created')
  await waitFor(() =>
    expect(sentRequests.some(({ query }) => query.get('action') === 'token_created')).toBe(true),
  )
})
