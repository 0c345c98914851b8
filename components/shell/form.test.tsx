import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import * as z from 'zod'
import { clickButton, renderUi, typeInto } from '../testing/render'
import { TextField } from '../ui/text-field'
import { PanelForm } from './form'
import { useSchemaForm } from './use-schema-form'

const schema = z.object({ name: z.string() })
const load = vi.fn<() => Promise<typeof schema>>()
const onSubmit = vi.fn(async () => {})

function Form() {
  const form = useSchemaForm({ schema: load, initial: { name: '' }, onSubmit })
  return (
    <PanelForm title="Form" form={form} submitLabel="Save">
      <TextField label="Name" {...form.field('name')} />
    </PanelForm>
  )
}

it('a form whose schema cannot be loaded says so, sends nothing and can be submitted again', async () => {
  load.mockRejectedValueOnce(new Error('Failed to load chunk 123.js')).mockResolvedValueOnce(schema)
  renderUi(<Form />)
  clickButton('Save')
  await screen.findByText(/could not be loaded, so nothing was sent\. Try again, or reload the page\./)
  expect(screen.queryByText(/chunk/)).toBeNull()
  expect(onSubmit).not.toHaveBeenCalled()
  clickButton('Save')
  await waitFor(() => expect(onSubmit).toHaveBeenCalledOnce())
})

it('a form is submitted once, with what was typed while its schema was loaded', async () => {
  onSubmit.mockClear()
  let arrive = () => {}
  load.mockReturnValueOnce(
    new Promise((resolve) => {
      arrive = () => resolve(schema)
    }),
  )
  renderUi(<Form />)
  clickButton('Save')
  clickButton(/Save/)
  typeInto('Name', 'late')
  arrive()
  await waitFor(() => expect(onSubmit).toHaveBeenCalledOnce())
  expect(onSubmit).toHaveBeenCalledWith({ name: 'late' })
})
