import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { JobState } from '../job-status'
import { useTabStatus } from './tab-status'

function Page({ state }: { state: JobState }) {
  useTabStatus(state, 'baseline')
  return null
}

afterEach(() => {
  document.head.innerHTML = ''
})

it('shows the state of a job in the title and the icon, until the page is left', () => {
  document.head.innerHTML =
    '<link rel="icon" href="/icon.svg"><link rel="icon" href="/favicon.ico" sizes="32x32">'
  const icons = () => [...document.querySelectorAll<HTMLLinkElement>('link')].map(({ href }) => href)
  const before = icons()
  const { rerender } = render(<Page state="running" />)
  expect(document.title).toBe('Running: baseline · gpuq')
  const running = icons()
  expect(running).toEqual([running[0], running[0]])
  expect(running[0]).toMatch(/^data:image\/svg\+xml,/)
  rerender(<Page state="failed" />)
  expect(document.title).toBe('Failed: baseline · gpuq')
  expect(icons()[0]).not.toBe(running[0])
  cleanup()
  expect(icons()).toEqual(before)
})
