import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderUi, typeInto } from '../../testing/render'
import { FileViewer } from './file-viewer'
import { ImageGallery } from './image-gallery'
import { TableEngine } from './table/engine/table-engine'
import type { TableMessage, TableRequest } from './table/engine/table-messages'
import type { Viewer } from './viewer-of'

/** jsdom has no web workers: the table is in the page. */
class PageWorker extends EventTarget {
  readonly #engine = new TableEngine((message: TableMessage) =>
    this.dispatchEvent(new MessageEvent('message', { data: message })),
  )

  postMessage(request: TableRequest): void {
    void this.#engine.receive(request)
  }

  terminate(): void {}
}

function show(path: string, viewer: Exclude<Viewer, 'markdown'>, content: string): void {
  vi.stubGlobal('Worker', PageWorker)
  vi.stubGlobal('fetch', async () => new Response(content))
  // jsdom lays out nothing.
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
  renderUi(
    <FileViewer file={{ path, bytes: content.length, url: '/file' }} viewer={viewer} text={<p>as text</p>} />,
  )
}

const cells = (grid: HTMLElement) =>
  within(grid)
    .queryAllByRole('cell')
    .map((cell) => cell.textContent)

it('shows a CSV file as a table that the keyboard sorts and filters, and as text', async () => {
  show('loss.csv', 'csv', 'epoch,note\n10,"a, b"\n9,<b>x</b>\n,c\n')
  const grid = await screen.findByRole('grid', { name: 'Table of loss.csv' })
  await waitFor(() => expect(cells(grid)).toEqual(['10', 'a, b', '9', '<b>x</b>', '', 'c']))
  await screen.findByText('3 rows, 2 columns')
  expect(
    within(grid)
      .getAllByRole('columnheader')
      .map((cell) => cell.textContent),
  ).toEqual(['epochnumber', 'notetext'])
  fireEvent.keyDown(grid, { key: 'Enter' })
  await waitFor(() => expect(cells(grid)).toEqual(['9', '<b>x</b>', '10', 'a, b', '', 'c']))
  fireEvent.keyDown(grid, { key: 'ArrowRight' })
  await screen.findByText('Row 1, note')
  expect(screen.getByRole('region', { name: 'Text of the cell' }).textContent).toBe('<b>x</b>')
  typeInto('Search all columns', 'A,')
  await screen.findByText('1 of 3 rows match, 2 columns')
  await waitFor(() => expect(cells(grid)).toEqual(['10', 'a, b']))
  fireEvent.click(screen.getByRole('radio', { name: 'Text' }))
  await screen.findByText('as text')
})

it('says why a file is not a table', async () => {
  show('line.csv', 'csv', 'x'.repeat(2 << 20))
  await screen.findByText(/^The first row is longer than 1\.0 MiB/)
})

it('shows JSON as a tree with the numbers that Python writes', async () => {
  show('metrics.json', 'json', '{"loss": NaN, "html": "<b>x</b>"}')
  const tree = await screen.findByRole('tree', { name: 'Tree of metrics.json' })
  await screen.findByText('The file has NaN or Infinity, which are not JSON. They are shown as numbers.')
  expect(tree.querySelector('b')).toBeNull()
})

it('shows a notebook without running its HTML', async () => {
  const outputs = [
    { output_type: 'execute_result', data: { 'text/html': '<img src=x>', 'text/plain': 'plain' } },
  ]
  const notebook = {
    cells: [
      { cell_type: 'markdown', source: '# Report <b>x</b>' },
      { cell_type: 'code', source: 'f()', outputs },
    ],
  }
  show('report.ipynb', 'notebook', JSON.stringify(notebook))
  const region = await screen.findByRole('region', { name: 'Notebook report.ipynb' })
  expect(region.textContent).toContain('Report <b>x</b>')
  expect(region.textContent).toContain('plain')
  expect(region.querySelectorAll('img, b')).toHaveLength(0)
})

it('says why a file is not a notebook', async () => {
  show('old.ipynb', 'notebook', '{"worksheets": []}')
  await screen.findByText(/^It has no list of cells/)
})

it('shows one image of a gallery at a time, and moves with the arrow keys', async () => {
  const image = (name: string) => ({ id: name, path: name, src: `/${name}`, href: `/${name}` })
  renderUi(<ImageGallery images={['a.png', 'b.png', '\u202egnp.c'].map(image)} />)
  fireEvent.click(screen.getByRole('button', { name: /b\.png/ }))
  const dialog = await screen.findByRole('dialog', { name: 'b.png' })
  fireEvent.keyDown(dialog, { key: 'ArrowRight' })
  expect(screen.getByRole('dialog', { name: '\\u{202e}gnp.c' })).toBeTruthy()
  fireEvent.keyDown(dialog, { key: 'ArrowRight' })
  screen.getByText('3 of 3')
  fireEvent.keyDown(dialog, { key: 'Home' })
  screen.getByText('1 of 3')
})
