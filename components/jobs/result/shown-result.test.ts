import { expect, it } from 'vitest'
import { cellText, compareCells, layOutColumns } from './cells'
import { detectShapes } from './detect-shape'
import { listNodes } from './json-nodes'
import { preview } from './json-text'
import { toShownResult } from './shown-result'

function shown(json: string, line?: string) {
  const result = toShownResult(json, line)
  if (!result) throw new Error('The result cannot be read.')
  return result
}

const line = '{"id": 9007199254740993, "lr": 1e-05, "x": 1.0, "huge": 1e400, "zero": -0.0}'
const digits = ['9007199254740993', '1e-05', '1.0', '1e400', '-0.0']

it('a result has the digits that were printed, in the tree and in a table', () => {
  const { value } = shown(line)
  const nodes = listNodes(value, new Set(['0'])).slice(1)
  expect(nodes.map((node) => [node.kind, String(node.value)])).toEqual(
    digits.map((source) => ['number', source]),
  )
  expect(preview(value)).toBe('{ id: 9007199254740993, lr: 1e-05, x: 1.0, huge: 1e400, zero: -0.0 }')
  const { table } = detectShapes([value, value])
  expect(table?.rows[0]?.map(cellText)).toEqual(digits)
  expect(table && layOutColumns(table).every(({ numeric }) => numeric)).toBe(true)
})

it('numbers that JavaScript would change are drawn and sorted as numbers', () => {
  const values = ['{"step": 1, "loss": 1.50}', '{"step": 2, "loss": 1e-05}', '{"step": 3, "loss": NaN}']
  const { chart } = detectShapes(values.map((text) => shown(text).value))
  expect(chart?.series).toEqual([{ name: 'loss', values: [1.5, 1e-5, null] }])
  const cells = ['1e400', 'NaN', '2.0', '10', '-0'].map((text) => shown(text).value)
  expect(cells.toSorted(compareCells).map(cellText)).toEqual(['-0', '2.0', '10', '1e400', 'NaN'])
})

it('NaN is a number on the page, and a text in the JSON', () => {
  const result = shown('{"loss": "NaN"}', '{"loss": NaN}')
  expect(result).toEqual({ json: '{"loss": "NaN"}', value: { loss: Number.NaN }, repeatsKeys: false })
})

it('a repeated key is known', () => {
  expect(shown('{"a": 1, "a": 2}')).toMatchObject({ value: { a: 2 }, repeatsKeys: true })
  expect(toShownResult('{"a"')).toBeNull()
})
