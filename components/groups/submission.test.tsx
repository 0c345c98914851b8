import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { readFieldInfos } from '../jobs/editor/field-infos'
import { SubmitView } from '../jobs/submit/submit-view'
import { router } from '../testing/navigation'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { makeGroup } from './testing/make-group'

vi.mock('next/navigation', () => import('../testing/navigation'))

const sweep =
  'competition_id: c\nproject_id: p\nexpected_time: 300\nargs: ["{lr}"]\nmatrix:\n  lr: [0.1, 0.01]\nrepeat: 30\n'

function openPage(config: string): void {
  answerWith({ 'GET /api/jobs': [], 'GET /api/environments': [] })
  renderUi(<SubmitView handle="ada" infos={readFieldInfos()} start={{ config, code: 'print(1)\n' }} />)
}

it('a config with a matrix says how many members it makes, is submitted as a group and opens its page', async () => {
  const { group_id } = makeGroup()
  answerWith({ 'POST /api/groups': makeGroup() })
  openPage(sweep)
  const preview = await screen.findByRole('region', { name: 'The group before you submit' })
  expect(preview.textContent).toBe('60 members, about 5 and at most 10 GPU hours, 8 at once.')
  await screen.findByText('Ready to submit')
  clickButton('Submit group')
  await waitFor(() => expect(router.push).toHaveBeenCalledWith(`/groups/${group_id}`))
  expect(sentRequests.map(({ path }) => path)).not.toContain('/api/submit?dry_run=true')
})

const wave = `${sweep.split('args')[0]}members:\n  - {args: [a]}\n  - {args: [b], gpu_count: 2}\n`

it('a wave says when its first member would start', async () => {
  answerWith({
    'POST /api/groups?dry_run=true': {
      project_note: 'Creates the private project "p".',
      expected_start: null,
      expected_start_text: 'It waits for others. Not completed: a.',
    },
  })
  openPage(wave)
  await screen.findByText(/It waits for others\. Not completed: a\. Creates the private project "p"\./)
  expect(screen.getByRole('region', { name: 'The group before you submit' }).textContent).toMatch(
    /^2 members, about 0\.25 and at most 0\.5 GPU hours, all at once\./,
  )
})

it('a wave whose members have commands needs no program', async () => {
  answerWith({ 'GET /api/jobs': [], 'GET /api/environments': [], 'POST /api/groups': makeGroup() })
  const config = `${sweep.split('args')[0]}members:\n  - {command: a}\n  - {command: b}\n`
  renderUi(<SubmitView handle="ada" infos={readFieldInfos()} start={{ config, code: '' }} />)
  await screen.findByText('Ready to submit')
  clickButton('Submit group')
  await waitFor(() => expect(sentRequests.some(({ path }) => path === '/api/groups')).toBe(true))
  expect(sentRequests.find(({ path }) => path === '/api/groups')?.body).not.toContain('name="code"')
})

it('a member that the server would refuse is named before the wave is submitted', async () => {
  const detail = 'members[1].gpu_count: must be at most 1'
  answerWith({
    'POST /api/groups?dry_run=true': Response.json(
      {
        type: 'about:blank',
        title: 'No node has what the job needs',
        status: 422,
        code: 'never_fits',
        detail,
      },
      { status: 422 },
    ),
  })
  openPage(wave)
  expect(await screen.findByText(/must be at most 1/)).toBeTruthy()
})

it('a mistake of a matrix is a problem of the config, and nothing is submitted', async () => {
  openPage(sweep.replace('[0.1, 0.01]', '[0.1, 0.1]'))
  await screen.findByText('1 problem to fix')
  expect(screen.getAllByText(/has the value 0.1 twice/)).not.toHaveLength(0)
  clickButton('Submit group')
  expect(sentRequests.filter(({ method }) => method === 'POST')).toEqual([])
})

it('a parameter that nothing uses is a hint, and does not prevent the submission', async () => {
  openPage(sweep.replace('args: ["{lr}"]', 'args: ["{rate}"]'))
  expect(await screen.findByText(/Neither args nor command contains \{lr\}/)).toBeTruthy()
  expect(screen.getByText(/\{rate\} names no parameter/)).toBeTruthy()
  await screen.findByText('Ready to submit')
})
