import { act, screen, waitFor } from '@testing-library/react'
import { toast as sonner } from 'sonner'
import { expect, it } from 'vitest'
import { renderUi } from '../testing/render'
import { toast } from './toaster'

async function focusToast(): Promise<HTMLElement> {
  renderUi(
    <>
      <button type="button">Save</button>
      <button type="button">Other</button>
    </>,
  )
  act(() => toast.success('Saved'))
  const item = (await screen.findByText('Saved')).closest('li')
  if (!item) throw new Error('The toast is no item of a list.')
  act(() => screen.getByRole('button', { name: 'Save' }).focus())
  act(() => item.focus())
  expect(document.activeElement).toBe(item)
  return item
}

it('a toast lets the focus go to the next element', async () => {
  await focusToast()
  const other = screen.getByRole('button', { name: 'Other' })
  act(() => other.focus())
  expect(document.activeElement).toBe(other)
})

it('a toast that ends while it has the focus returns it to where it came from', async () => {
  const item = await focusToast()
  act(() => void sonner.dismiss())
  await waitFor(() => expect(item.isConnected).toBe(false))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Save' })))
})

it('a toast that ends after the focus has left it takes no focus', async () => {
  const item = await focusToast()
  const other = screen.getByRole('button', { name: 'Other' })
  act(() => other.focus())
  act(() => void sonner.dismiss())
  await waitFor(() => expect(item.isConnected).toBe(false))
  expect(document.activeElement).toBe(other)
})
