import { expect, it } from 'vitest'
import { linesAsText } from './copy-lines'
import { OutputStore } from './output-store'

const t = '2026-11-20T12:00:00.000Z'

it('returns lines by range and by stream without colours', () => {
  const store = new OutputStore()
  store.append([
    { type: 'stdout', t, text: '\u001B[31mone' },
    { type: 'stderr', t, text: 'two' },
    { type: 'stdout', t, text: 'three' },
  ])
  expect(linesAsText(store, 'all')).toBe('one\ntwo\nthree\n')
  expect(linesAsText(store, 'all', { from: 1, to: 2 })).toBe('two\nthree\n')
  expect(linesAsText(store, 'stdout', { from: 1, to: 2 })).toBe('three\n')
  expect(linesAsText(store, 'stderr', { from: 2, to: 9 })).toBe('')
})
