import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { router } from '../../testing/navigation'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../../testing/render'
import { readFieldInfos } from '../editor/field-infos'
import { SubmitView } from './submit-view'

vi.mock('next/navigation', () => import('../../testing/navigation'))
vi.mock('./config-problems', () => Promise.reject(new Error('the network is down')))

it('leaves the check of the config to the server if its code cannot be loaded', async () => {
  answerWith({
    'GET /api/environments': [],
    'GET /api/jobs?limit=1': [],
    'POST /api/submit': { job_id: 'job-1', status: 'pending' },
  })
  renderUi(
    <SubmitView
      handle="ada"
      infos={readFieldInfos()}
      start={{ code: 'print(1)', config: 'expected_time: 60\n' }}
    />,
  )
  expect(await screen.findByText('Fill in the required fields')).toBeTruthy()
  typeInto('Competition', 'cifar10')
  typeInto('Project', 'resnet')
  await screen.findByText('Ready to submit')
  clickButton('Submit job')
  await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/job-1'))
  expect(sentRequests.filter(({ path }) => path === '/api/submit')).toHaveLength(1)
})
