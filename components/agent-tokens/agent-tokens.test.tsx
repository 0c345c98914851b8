import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { NewTokenDialog } from '../access/new-token-dialog'
import { makeToken } from '../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { Button } from '../ui/button'
import { Approvals } from './approvals'
import { StopButton } from './stop-button'

const id = '01931111-0000-7000-8000-0000000000aa'
const approval = {
  id,
  kind: 'job',
  name: 'train',
  user_id: 'ada',
  project_id: 'p',
  submitted_with: { token_id: id, name: 'claude' },
  gpu_hours: 12.5,
  created_at: '2026-11-22T10:00:00.000Z',
  expires_at: '2026-11-23T10:00:00.000Z',
}

it.each(['Approve', 'Refuse'] as const)(
  'what an agent asks for: a click on %s and a confirmation decide',
  async (label) => {
    const path = `POST /api/approvals/${id}/${label.toLowerCase()}`
    answerWith({ 'GET /api/approvals': [approval], [path]: null })
    const { container } = renderUi(<Approvals everyone={false} />)
    fireEvent.click(await screen.findByRole('button', { name: `${label} train` }))
    expect(container.textContent).toContain(
      '12.5 GPU hours. The token “claude” submitted it. Without an approval,',
    )
    fireEvent.click(await screen.findByRole('button', { name: label }))
    await vi.waitFor(() =>
      expect(sentRequests.map(({ method, path: sent }) => `${method} ${sent}`)).toContain(path),
    )
  },
)

it('an admin reads whose job or group waits for an approval', async () => {
  answerWith({ 'GET /api/approvals': [approval] })
  const { container } = renderUi(<Approvals everyone />)
  await screen.findByText('Waits for an approval')
  expect(container.textContent).toContain('train of ada may cost 12.5 GPU hours')
})

it('without a question of an agent, nothing is shown', async () => {
  answerWith({ 'GET /api/approvals': [approval] })
  const { container } = renderUi(<Approvals everyone={false} only="another" />)
  await vi.waitFor(() => expect(sentRequests).toHaveLength(1))
  expect(container.textContent).toBe('')
})

it('the stop of a token is confirmed and says what ended', async () => {
  const token = makeToken()
  answerWith({ [`POST /api/tokens/${token.token_id}/stop`]: { jobs: 3, groups: 1 } })
  renderUi(<StopButton token={token} />)
  clickButton('Stop laptop and its jobs')
  fireEvent.click(await screen.findByRole('button', { name: 'Stop token and jobs' }))
  await vi.waitFor(() => expect(sentRequests).toHaveLength(1))
})

it('a token for an agent is created with its limits', async () => {
  const limits = { projects: ['resnet', 'other'] }
  answerWith({ 'POST /api/tokens': { ...makeToken(), limits, token: 'gpuq_secret' } })
  renderUi(<NewTokenDialog admin={false} owner="ada" trigger={<Button>New token</Button>} />)
  clickButton('New token')
  typeInto('Name', 'claude')
  fireEvent.click(screen.getByRole('checkbox', { name: 'For an agent' }))
  typeInto('GPU hours a day', '8')
  typeInto('Ask me above GPU hours', '0')
  typeInto('Only in the projects', 'resnet, other')
  typeInto('Longest job, in hours', '1.5')
  clickButton('Create token')
  await screen.findByRole('dialog', { name: 'Token for ada' })
  expect(screen.getByText(/whoever has it submits jobs as ada within its limits, and sees/)).toBeTruthy()
  const shown = ['agent settings', 'config', 'curl command'].map((name) =>
    screen.getByRole('region', { name }),
  )
  expect(screen.getAllByRole('region').filter((region) => shown.includes(region))).toEqual(shown)
  expect(shown[1]?.textContent).toContain('project_id: "resnet"')
  expect(sentRequests[0]?.body).toMatchObject({
    name: 'claude',
    scopes: ['submit', 'read'],
    limits: {
      gpu_hours: null,
      gpu_hours_per_day: 8,
      ask_above_gpu_hours: 0,
      projects: ['resnet', 'other'],
      environments: null,
      max_time: 5400,
    },
  })
})
