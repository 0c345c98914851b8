import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Role } from '@/lib/contract/access/roles'
import type { Delivery, NotificationTarget } from '@/lib/notifications/contract'
import { makeUser } from '../testing/fixtures'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { NotificationsPanel } from './notifications-panel'

const at = '2026-11-23T06:00:00.000Z'
const target: NotificationTarget = {
  id: '01920000-0000-7000-8000-000000000001',
  kind: 'slack',
  name: 'Lab channel',
  address: 'https://hooks.slack.com',
  events: ['job.failed', 'job.started'],
  wait_minutes: 15,
  created_at: at,
  paused_at: null,
  pause_reason: null,
}
const delivery: Delivery = {
  id: '01920000-0000-7000-8000-000000000002',
  event: 'job.failed',
  target_id: target.id,
  target_name: target.name,
  job_id: '01920000-0000-7000-8000-000000000003',
  state: 'failed',
  attempts: 3,
  response_status: 404,
  response: 'no_service',
  problem: 'The address responded with status 404.',
  created_at: at,
  next_try_at: null,
  settled_at: at,
}

function answer({
  targets = [] as NotificationTarget[],
  log = [] as Delivery[],
  role = 'researcher' as Role,
  secret_created_at = null as string | null,
  email = null as string | null,
} = {}) {
  answerWith({
    'GET /api/users/me': makeUser({ role }),
    'GET /api/notifications': { targets, email, secret_created_at },
    'GET /api/notifications/deliveries': log,
  })
}
const posted = () => sentRequests.filter(({ method }) => method !== 'GET')

it('adds a webhook, with the fields of its kind alone', async () => {
  answer()
  answerWith({ 'POST /api/notifications/targets': target })
  renderUi(<NotificationsPanel />)
  await screen.findByText(/No targets yet/)
  clickButton('Add target')
  expect(screen.queryByText('A node was lost')).toBeNull()
  typeInto('Name', 'my server')
  typeInto('Address', 'example.org')
  clickButton('Add target')
  await screen.findByText(/Must be an http:\/\/ or https:\/\/ address/)
  typeInto('Address', 'https://example.org/done')
  fireEvent.click(screen.getByRole('checkbox', { name: 'A job started after a wait' }))
  typeInto(/Shortest wait in minutes/, '5')
  clickButton('Add target')
  await screen.findByText(/my server added/)
  expect(posted()).toMatchObject([
    {
      body: {
        kind: 'webhook',
        name: 'my server',
        url: 'https://example.org/done',
        events: ['job.completed', 'job.failed', 'job.started'],
        wait_minutes: 5,
      },
    },
  ])
})

it('adds the address of the account with one click', async () => {
  answer({ email: 'ada@example.org' })
  answerWith({ 'POST /api/notifications/targets': { ...target, kind: 'email' } })
  renderUi(<NotificationsPanel />)
  fireEvent.click(await screen.findByRole('button', { name: 'E-mail me' }))
  await screen.findByText('You get an e-mail at ada@example.org when a job ends.')
  expect(posted()).toMatchObject([{ body: { kind: 'email', events: ['job.completed', 'job.failed'] } }])
})

it('offers no second e-mail', async () => {
  answer({ email: 'ada@example.org', targets: [{ ...target, kind: 'email' }] })
  renderUi(<NotificationsPanel />)
  await screen.findByRole('list', { name: 'Targets' })
  expect(screen.queryByRole('button', { name: 'E-mail me' })).toBeNull()
})

it('offers the events of the cluster to admins', async () => {
  answer({ role: 'admin' })
  renderUi(<NotificationsPanel />)
  await screen.findByText(/No targets yet/)
  clickButton('Add target')
  expect(await screen.findByText('A node was lost')).toBeTruthy()
})

it('sends a test, pauses and deletes', async () => {
  answer({ targets: [target] })
  answerWith({
    [`POST /api/notifications/targets/${target.id}/test`]: { ...delivery, event: 'test', state: 'waiting' },
    [`PATCH /api/notifications/targets/${target.id}`]: target,
    [`DELETE /api/notifications/targets/${target.id}`]: new ApiProblem(404, {
      detail: 'gone',
      code: 'not_found',
    }),
  })
  renderUi(<NotificationsPanel />)
  const item = within(await screen.findByRole('list', { name: 'Targets' }))
  expect(item.getByText('A job failed · A job started after a wait of at least 15 min')).toBeTruthy()
  clickButton(/^Send a test\s*to Lab channel$/)
  await screen.findByText(/Test sent/)
  clickButton('Pause Lab channel')
  await screen.findByText('Lab channel paused')
  clickButton('Delete Lab channel')
  clickButton('Delete')
  await screen.findByText('gone')
  expect(posted().map(({ method, body }) => [method, body])).toEqual([
    ['POST', ''],
    ['PATCH', { paused: true }],
    ['DELETE', ''],
  ])
})

it('shows why a target is paused', async () => {
  answer({ targets: [{ ...target, paused_at: at, pause_reason: 'It wants no more messages.' }] })
  renderUi(<NotificationsPanel />)
  await screen.findByText('It wants no more messages.')
  expect(screen.getByRole('button', { name: 'Continue Lab channel' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Send a test/ })).toBeNull()
})

it('shows the log, and delivers a message again', async () => {
  const waiting = {
    ...delivery,
    id: '01920000-0000-7000-8000-000000000004',
    state: 'retrying',
    next_try_at: at,
  }
  answer({ targets: [target], log: [delivery, waiting as Delivery] })
  answerWith({
    [`POST /api/notifications/deliveries/${delivery.id}/redeliver`]: { ...delivery, state: 'waiting' },
  })
  renderUi(<NotificationsPanel />)
  const log = within(await screen.findByRole('table', { name: 'Delivery log' }))
  expect(log.getByText('failed · 404')).toBeTruthy()
  expect(log.getAllByText(/status 404\. no_service/)).toHaveLength(2)
  // A message that waits for its next attempt has no button.
  expect(log.getAllByRole('button')).toHaveLength(1)
  clickButton('Deliver job.failed again')
  await screen.findByText('The message is sent again')
})

it('shows a signing secret once', async () => {
  answer({ targets: [target] })
  answerWith({ 'POST /api/notifications/secret': { secret: 'whsec_c2VjcmV0' } })
  renderUi(<NotificationsPanel />)
  await screen.findByText(/Your webhooks are not signed/)
  clickButton('Create secret…')
  clickButton('Create')
  await screen.findByText('whsec_c2VjcmV0')
  clickButton('Done, I copied it')
  expect(screen.queryByText('whsec_c2VjcmV0')).toBeNull()
})
