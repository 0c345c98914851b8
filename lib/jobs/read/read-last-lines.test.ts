import { expect, it } from 'vitest'
import { findFailure } from '../../contract/diagnosis/find-failure'
import { toLines } from './read-last-lines'

const record = (text: string) => Buffer.from(JSON.stringify({ type: 'stderr', t: '', text, eol: true }))
const length = 130_000
const repeat = (text: string) => text.repeat(length / text.length)

/** Lines on which patterns with repeated parts may take hours. */
const hostile: [what: string, line: string][] = [
  ['spaces', `loss${repeat(' ')}x`],
  ['one word', repeat('loss ')],
  ['one word without spaces', repeat('grad_norm')],
  ['signs', `loss${repeat('=')}`],
  ['beginnings of escape sequences', repeat('\u001b]')],
  ['parameters of an escape sequence', `\u001b${repeat(';#')}!`],
  ['quotes', repeat('"')],
  ['paths', repeat('/a.b')],
  ['words of an exception', `ValueError: ${repeat('Expected size ')}`],
]

it.each(hostile)('a line that is long because of its %s is shortened before it is searched', (_, line) => {
  const { lines } = toLines([record(line), record('RuntimeError: CUDA out of memory.')])
  expect(lines[0]?.text.length).toBeLessThanOrEqual(4_000)
  expect(findFailure({ lines, exit_code: 1 }).cause).toBe('gpu_out_of_memory')
})

it('of a long line the beginning and the end stay', () => {
  const { lines } = toLines([record(`ValueError: ${repeat('x')}: the end`)])
  expect(lines[0]?.text).toMatch(/^ValueError: x+…x+: the end$/)
})

it.each(hostile)('a whole line that is long because of its %s does not stop the search', (_, text) => {
  const lines = Array.from({ length: 20 }, () => ({ text, t: null }))
  expect(findFailure({ lines, exit_code: 1 }).evidence.length).toBeLessThanOrEqual(12)
})
