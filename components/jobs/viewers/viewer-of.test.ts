import { expect, it } from 'vitest'
import { isImageName, viewerOf } from './viewer-of'

it.each([
  ['a.csv', 'csv'],
  ['plots/a.TSV', 'tsv'],
  ['a.parquet', 'parquet'],
  ['a.json', 'json'],
  ['log.jsonl', 'json-lines'],
  ['report.ipynb', 'notebook'],
  ['README.md', 'markdown'],
  ['a.json.txt', null],
  ['md', null],
  ['a.constructor', null],
])('%s has the viewer %s', (path, viewer) => {
  expect(viewerOf(path)).toBe(viewer)
})

it('takes files for images by their name, but not SVG, which is a document', () => {
  expect(['a.PNG', 'b.jpeg', 'c.svg', 'd.txt'].filter(isImageName)).toEqual(['a.PNG', 'b.jpeg'])
})
