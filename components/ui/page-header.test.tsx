import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderUi } from '../testing/render'
import { PageHeader } from './page-header'

// The first test of the file: it renders the first page of the visit.
it('leaves the focus where it is on the first page', () => {
  renderUi(<PageHeader title="Jobs" />)
  expect(document.activeElement).toBe(document.body)
})

it('separates the steps of the breadcrumb, without a separator at the end', () => {
  renderUi(
    <PageHeader
      title="baseline"
      path={[
        { label: 'Jobs', href: '/jobs' },
        { label: 'cifar10', href: '/jobs?competition_id=cifar10' },
      ]}
    />,
  )
  const steps = screen.getAllByRole('listitem')
  expect(steps.map((step) => step.querySelectorAll('svg').length)).toEqual([1, 0])
})

it('focuses the heading of a new page if the focus was lost', () => {
  const page = (name: string) => (
    <PageHeader key={name} title={name} actions={<button type="button">{name}</button>} />
  )
  const { unmount } = renderUi(page('New job'))
  screen.getByRole('button').focus()
  unmount()
  renderUi(page('baseline'))
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'baseline' }))
})

it('leaves the focus on an element that still exists', () => {
  const input = document.body.appendChild(document.createElement('input'))
  input.focus()
  renderUi(<PageHeader title="Jobs" />)
  expect(document.activeElement).toBe(input)
  input.remove()
})
