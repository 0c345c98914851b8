import { expect, it } from 'vitest'
import { viewerOf } from './viewer-of'

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
