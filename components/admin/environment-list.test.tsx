import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { EnvironmentList } from './environment-list'

const environment = {
  name: 'ml',
  image: 'ml:1',
  description: null,
  network: 'none',
  prepare: ['torch', 'pandas'],
  prepare_problem: 'lab-1: import torch failed',
  prepare_problem_at: '2026-11-23T20:00:00.000Z',
  is_default: false,
  enabled: true,
}

it('shows the prepared imports, why they are not used, and changes them', async () => {
  answerWith({ 'GET /api/environments': [environment], 'PATCH /api/environments/ml': environment })
  renderUi(<EnvironmentList />)
  await screen.findByText('torch, pandas')
  screen.getByText(/lab-1: import torch failed/)

  clickButton('Edit ml')
  await screen.findByText('These imports are not used')
  typeInto(/Prepared imports/, 'torch, numpy-x')
  clickButton('Save')
  await screen.findByText(/Use the name of a Python module/i)
  typeInto(/Prepared imports/, ' torch,  sklearn.svm ')
  clickButton('Save')
  await waitFor(() =>
    expect(sentRequests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
      expect.objectContaining({ prepare: ['torch', 'sklearn.svm'] }),
    ]),
  )
})
