import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../../testing/render'
import { ModelTableForm } from './model-table-form'

it('marks invalid fields after the first submit until each is fixed, then saves the table', async () => {
  answerWith({ 'PUT /api/models': { default_requirement: 2, models: { llama: 0.5 } } })
  renderUi(<ModelTableForm table={{ default_requirement: 1, models: { llama: 1 } }} />)
  typeInto('GPUs for llama', '9')
  expect(screen.queryByText('Use a number from 0.001 to 8.')).toBeNull()
  clickButton('Save models')
  await screen.findByText('Use a number from 0.001 to 8.')
  typeInto('GPUs for llama', '0.5')
  expect(screen.queryByText('Use a number from 0.001 to 8.')).toBeNull()
  expect(sentRequests).toEqual([])
  typeInto('Other models', '2')
  clickButton('Save models')
  await screen.findByText('Models saved')
  expect(sentRequests.find(({ method }) => method === 'PUT')?.body).toEqual({
    default_requirement: 2,
    models: { llama: 0.5 },
  })
})

it('saves what is typed while the reader of the table is loaded', async () => {
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve
  })
  vi.doMock('./read-models', async (importOriginal) => {
    await arrival
    return importOriginal<object>()
  })
  vi.resetModules()
  answerWith({ 'PUT /api/models': { default_requirement: 2, models: {} } })
  const { ModelTableForm: Form } = await import('./model-table-form')
  renderUi(<Form table={{ default_requirement: 1, models: {} }} />)
  clickButton('Save models')
  typeInto('Other models', '2')
  arrive()
  await waitFor(() =>
    expect(sentRequests.find(({ method }) => method === 'PUT')?.body).toMatchObject({
      default_requirement: 2,
    }),
  )
})

it('takes a pasted table into the form', async () => {
  renderUi(<ModelTableForm table={{ default_requirement: 1, models: {} }} />)
  clickButton('Paste JSON…')
  typeInto('JSON', '{')
  clickButton('Use this table')
  await screen.findByText(/This is not valid JSON/)
  typeInto('JSON', '{"default_requirement": 2, "models": {"qwen": 4}}')
  clickButton('Use this table')
  expect(await screen.findByDisplayValue('qwen')).toBeTruthy()
  expect(screen.getByLabelText('GPUs for qwen')).toHaveProperty('value', '4')
})
