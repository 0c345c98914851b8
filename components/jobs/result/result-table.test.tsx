import { render, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { clickButton } from '../../testing/render'
import { ResultTable } from './result-table'

/** A document without a layout would show no rows. */
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(400)
})

const shape = {
  columns: ['name', 'score'],
  rows: [
    ['b', 9],
    ['c', undefined],
    ['a', 10],
  ],
}
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.firstElementChild?.textContent)
const sortOf = (name: string) => screen.getByRole('columnheader', { name }).getAttribute('aria-sort')

it('the rows of a table are sorted by the column that is clicked, in both directions and then as they came', () => {
  render(<ResultTable shape={shape} />)
  expect(names()).toEqual(['b', 'c', 'a'])
  clickButton('name')
  expect([names(), sortOf('name')]).toEqual([['a', 'b', 'c'], 'ascending'])
  clickButton('name')
  expect([names(), sortOf('name')]).toEqual([['c', 'b', 'a'], 'descending'])
  clickButton('name')
  expect([names(), sortOf('name')]).toEqual([['b', 'c', 'a'], null])
})

it('rows without a value are last in both directions, and numbers are compared as numbers', () => {
  render(<ResultTable shape={shape} />)
  clickButton('score')
  expect([names(), sortOf('score')]).toEqual([['a', 'b', 'c'], 'descending'])
  clickButton('score')
  expect([names(), sortOf('score')]).toEqual([['b', 'a', 'c'], 'ascending'])
})
