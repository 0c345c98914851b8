import { expect, it } from 'vitest'
import { endOfPage, parseNotebook } from './parse-notebook'

const code = (...outputs: unknown[]) =>
  parseNotebook({ cells: [{ cell_type: 'code', source: ['a\n', 'b'], execution_count: 7, outputs }] })?.[0]
const outputOf = (data: unknown) => {
  const cell = code({ output_type: 'display_data', data })
  return cell?.kind === 'code' ? cell.outputs[0] : undefined
}

it('reads the cells of a notebook in order', () => {
  const cells = [
    { cell_type: 'markdown', source: '# x' },
    { cell_type: 'raw', source: ['y'] },
    { cell_type: 'odd' },
  ]
  expect(parseNotebook({ cells })).toEqual([
    { kind: 'markdown', text: '# x' },
    { kind: 'raw', text: 'y' },
    { kind: 'raw', text: '' },
  ])
  expect(code()).toEqual({ kind: 'code', text: 'a\nb', count: 7, outputs: [] })
})

it('shows printed text and tracebacks without control characters', () => {
  const cell = code(
    { output_type: 'stream', name: 'stdout', text: ['10%\r', '\u001b[31m100%\u001b[0m\n'] },
    {
      output_type: 'error',
      ename: 'ValueError',
      evalue: 'bad',
      traceback: ['\u001b[0;31mValueError\u001b[0m', 'bad'],
    },
    { output_type: 'error', ename: 'E', evalue: 'v' },
  )
  expect(cell).toMatchObject({
    outputs: [
      { kind: 'text', text: '100%', failed: false },
      { kind: 'text', text: 'ValueError\nbad', failed: true },
      { kind: 'text', text: 'E: v', failed: true },
    ],
  })
})

it('shows the text beside HTML, and never the HTML', () => {
  const html = '<script>alert(1)</script>'
  expect(outputOf({ 'text/html': html, 'text/plain': ['a ', 'b'] })).toMatchObject({
    kind: 'text',
    text: 'a b',
  })
  expect(outputOf({ 'text/html': html, 'application/javascript': 'x()' })).toEqual({
    kind: 'hidden',
    types: 'text/html, application/javascript',
  })
})

/** The beginning of a PNG image of this size. */
function png(width: number, height: number): string {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), size]).toString('base64')
}

it('shows pictures as data of the type of their content only', () => {
  const src = `data:image/png;base64,${png(3, 2)}`
  expect(outputOf({ 'image/png': `${png(3, 2)}\n` })).toEqual({ kind: 'image', src })
  expect(outputOf({ 'image/jpeg': png(3, 2) })).toEqual({ kind: 'image', src })
  const bitmap = Buffer.from('BM').toString('base64')
  expect(outputOf({ 'image/png': bitmap, 'text/plain': 'x' })).toMatchObject({ kind: 'text', text: 'x' })
  expect(outputOf({ 'image/png': '"><script>', 'text/plain': 'x' })).toMatchObject({
    kind: 'text',
    text: 'x',
  })
  expect(outputOf({ 'image/svg+xml': ['<svg a="#">', '\ud800</svg>'] })).toEqual({
    kind: 'image',
    src: 'data:image/svg+xml;charset=utf-8,%3Csvg%20a%3D%22%23%22%3E%EF%BF%BD%3C%2Fsvg%3E',
  })
})

it('shows no picture of too many pixels, and says why', () => {
  expect(outputOf({ 'image/png': png(60_000, 60_000), 'text/plain': '<Figure>' })).toMatchObject({
    kind: 'text',
    text: expect.stringMatching(/^The image has 60,000 × 60,000 pixels\..*Download it instead\.$/),
  })
})

it('shortens long outputs', () => {
  expect(outputOf({ 'text/plain': 'x'.repeat(30_000) })).toMatchObject({
    text: expect.stringMatching(/… 10,000 more characters$/),
  })
})

it.each([null, [], {}, { cells: 3 }, { worksheets: [] }])('has no cells in %j', (value) => {
  expect(parseNotebook(value)).toBeNull()
})

it('reads cells that are not objects as empty ones', () => {
  expect(parseNotebook({ cells: [null, 1, { cell_type: 'code', outputs: [null, {}] }] })).toHaveLength(3)
})

it('limits the text and the outputs of a cell, and what is shown at once', () => {
  const long = 'x'.repeat(30_000)
  const stream = { output_type: 'stream', name: 'stdout', text: long }
  const source = { cell_type: 'code', source: long, outputs: Array.from({ length: 25 }, () => stream) }
  const cells = parseNotebook({ cells: [source, source, { cell_type: 'markdown', source: long }] }) ?? []
  const [first, , markdown] = cells
  expect(markdown?.text).toMatch(/^x{20000}\n… 10,000 more characters$/)
  if (first?.kind !== 'code') throw new Error('not code')
  expect(first.text.length).toBe(markdown?.text.length)
  expect(first.outputs).toHaveLength(21)
  expect(first.outputs.at(-1)).toEqual({ kind: 'more', count: 5 })
  expect([endOfPage(cells, 0), endOfPage(cells, 1), endOfPage(cells, 3)]).toEqual([1, 2, 3])
})
