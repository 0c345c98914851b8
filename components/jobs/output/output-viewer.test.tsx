import { cleanup, fireEvent, screen } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { openByKeyboard, renderUi, typeInto } from '../../testing/render'
import { OutputStore } from './output-store'
import { jumpLabel, OutputViewer } from './output-viewer'

const t = '2026-11-22T10:00:00.000Z'

function showOutput(live = false): OutputStore {
  const store = new OutputStore()
  store.append([
    { type: 'stdout', t, text: 'epoch 1' },
    { type: 'stderr', t, text: 'warning' },
    { type: 'stdout', t, text: 'Epoch 2' },
  ])
  const downloads = [{ label: 'Plain text', href: '/file.txt' }]
  renderUi(<OutputViewer store={store} live={live} downloads={downloads} />)
  return store
}

it('counts lines and says whether the job is live', () => {
  showOutput(true)
  expect(screen.getAllByText('3 lines, 1 on stderr')).toHaveLength(2)
  expect(screen.getByText('Following output')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Follow output' }))
  expect(screen.getByText('Live, not following')).toBeTruthy()
})

it('has its first lines before the scripts of the page run', () => {
  const store = new OutputStore()
  store.append(Array.from({ length: 500 }, (_, n) => ({ type: 'stdout', t, text: `<b>line ${n}</b>` })))
  const html = renderToString(<OutputViewer store={store} live={false} loading downloads={[]} />)
  expect(html).toContain('&lt;b&gt;line 0&lt;/b&gt;')
  expect(html).toContain('line 59&lt;')
  expect(html).not.toContain('line 60&lt;')
  expect(html).toContain('500 lines')
  expect(html).toContain('Loading more')
  expect(html).not.toContain('>Complete<')
})

it('has the last lines of a job that runs before the scripts of the page run, without numbers', () => {
  const store = new OutputStore()
  store.showTail(Array.from({ length: 500 }, (_, n) => ({ type: 'stdout', t, text: `line ${n}!` })))
  const html = renderToString(<OutputViewer store={store} live loading downloads={[]} />)
  expect(html).toContain('line 499!')
  expect(html).not.toContain('line 439!')
  expect(html).not.toContain('#L')
  expect(html).toContain('Loading the earlier lines')
  expect(html).not.toContain('500 lines')
})

it('opens at the line of the traceback, and no longer at the end', () => {
  const store = showOutput(true)
  expect(screen.getByText('Following output')).toBeTruthy()
  cleanup()
  renderUi(<OutputViewer store={store} live openAt={1} downloads={[]} />)
  expect(screen.getByText('Live, not following')).toBeTruthy()
})

it('says that it loads, and not that there is no output', () => {
  const store = new OutputStore()
  const { rerender } = renderUi(<OutputViewer store={store} live loading downloads={[]} />)
  expect(screen.getByText('Loading the output')).toBeTruthy()
  expect(screen.queryByText('No output yet')).toBeNull()
  rerender(<OutputViewer store={store} live downloads={[]} />)
  expect(screen.getByText('No output yet')).toBeTruthy()
})

it('goes to the search box with / from everywhere on the page', () => {
  showOutput()
  fireEvent.keyDown(document.body, { key: '/' })
  expect(document.activeElement).toBe(screen.getByLabelText('Search the output'))
})

it('hides the lines of JSON of all streams or of stdout', async () => {
  const store = new OutputStore()
  store.append([
    { type: 'stdout', t, text: 'loss: a text' },
    { type: 'result', t, text: '{"loss": 1}', json: '{"loss": 1}' },
    { type: 'stderr', t, text: 'loss: a warning' },
  ])
  renderUi(<OutputViewer store={store} live={false} downloads={[]} />)
  typeInto('Search the output', 'loss')
  await screen.findByText('1 of 3')
  fireEvent.click(screen.getByRole('button', { name: 'Hide lines of JSON' }))
  await screen.findByText('1 of 2')
  expect([0, 1].map((row) => store.lines.numberAt('text', row))).toEqual([0, 2])
  fireEvent.click(screen.getByRole('radio', { name: 'stdout' }))
  await screen.findByText('1 of 1')
  fireEvent.click(screen.getByRole('button', { name: 'Hide lines of JSON' }))
  await screen.findByText('1 of 2')
  fireEvent.click(screen.getByRole('radio', { name: 'stderr' }))
  expect(screen.getByRole('button', { name: 'Hide lines of JSON' })).toHaveProperty('disabled', true)
})

it('searches with and without case, and moves between matches', async () => {
  showOutput()
  typeInto('Search the output', 'epoch')
  await screen.findByText('1 of 2')
  fireEvent.click(screen.getByRole('button', { name: 'Next match' }))
  expect(screen.getByText('2 of 2')).toBeTruthy()
  fireEvent.keyDown(screen.getByLabelText('Search the output'), { key: 'Enter' })
  expect(screen.getByText('1 of 2')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Match case' }))
  await screen.findByText('1 of 1')
})

it('reports an invalid regular expression and a search without matches', async () => {
  showOutput()
  typeInto('Search the output', '(')
  expect(screen.getByText('No matches')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Regular expression' }))
  expect(screen.getByText('Invalid regular expression')).toBeTruthy()
  fireEvent.keyDown(screen.getByLabelText('Search the output'), { key: 'Escape' })
  expect(screen.queryByText('Invalid regular expression')).toBeNull()
})

it('selects the line that the user enters', () => {
  showOutput()
  typeInto('Search the output', ':2')
  expect(screen.getByText('Enter: go to line 2')).toBeTruthy()
  fireEvent.keyDown(screen.getByLabelText('Search the output'), { key: 'Enter' })
  expect(location.hash).toBe('#L2')
})

it('copies selected lines only if there is a selection, and offers downloads', () => {
  showOutput()
  openByKeyboard(screen.getByRole('button', { name: 'Copy' }))
  const item = screen.getByRole('menuitem', { name: 'Copy selected lines' })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  fireEvent.keyDown(item, { key: 'Escape' })
  openByKeyboard(screen.getByRole('button', { name: 'Download' }))
  expect(screen.getByRole('menuitem', { name: 'Plain text' }).getAttribute('href')).toBe('/file.txt')
})

it('says that a stream has no output', () => {
  const store = new OutputStore()
  store.append([{ type: 'stderr', t, text: 'warning' }])
  renderUi(<OutputViewer store={store} live={false} downloads={[]} />)
  fireEvent.click(screen.getByRole('radio', { name: 'stdout' }))
  expect(screen.getByText('No output with this filter')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Show all lines' }))
  expect(screen.queryByText('No output with this filter')).toBeNull()
})

it.each([
  [true, 0, 'Jump to end'],
  [true, 1, '1 new line'],
  [true, 1200, '1,200 new lines'],
  [false, 0, 'Jump to end'],
  [false, 1200, 'Jump to end'],
])('live: %s, %i new lines: "%s"', (live, lines, label) => {
  expect(jumpLabel(live, lines)).toBe(label)
})
