import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { MissingPartNotice, PartBoundary } from './missing-part'
import { onDemand, useOnDemand } from './on-demand'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const part = onDemand(() => Promise.reject(new Error('Loading chunk 7 failed')))

function Page() {
  useOnDemand(part, true)
  return <textarea defaultValue="typed" />
}

function Broken(): never {
  throw new Error('Loading chunk 8 failed')
}

it('a part that cannot be loaded leaves the page as it is, says so, and offers to load the page again', async () => {
  const reload = vi.fn()
  vi.stubGlobal('location', { ...window.location, reload })
  render(
    <>
      <Page />
      <MissingPartNotice />
    </>,
  )
  await screen.findByText('A part of this page could not be loaded')
  expect(screen.getByRole('textbox')).toHaveProperty('value', 'typed')
  fireEvent.click(screen.getByRole('button', { name: 'Reload' }))
  expect(reload).toHaveBeenCalledOnce()
})

it('a boundary says what a reload keeps, and keeps what is around it', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  render(
    <>
      <p>around</p>
      <PartBoundary kept="A reload keeps the program.">
        <Broken />
      </PartBoundary>
    </>,
  )
  expect(screen.getByRole('alert').textContent).toMatch(/could not be loaded.*A reload keeps the program\./)
  expect(screen.getByText('around')).toBeTruthy()
})
