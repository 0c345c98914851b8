import { expect, it } from 'vitest'
import { listNodes, openLevels } from '../../../jobs/result/json-nodes'
import { preview } from '../../../jobs/result/json-text'
import { parseJsonFile, parseJsonLines } from './parse-json-file'

it('reads NaN and Infinity as numbers, outside of texts, and says so', () => {
  const parsed = parseJsonFile('{"a": [NaN, -Infinity, Infinity], "b": "NaN \\" Infinity", "NaN": "\ue000"}')
  expect(parsed).toEqual({
    value: {
      a: [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
      b: 'NaN " Infinity',
      NaN: '\ue000',
    },
    notices: [expect.stringContaining('NaN or Infinity')],
  })
  expect(parseJsonFile('NaN')).toMatchObject({ value: Number.NaN })
})

it('says where a text is not JSON, also after a NaN', () => {
  for (const text of ['{"a": 1, oops}', '{"a":NaN,oops}'])
    expect(parseJsonFile(text)).toEqual({
      problem: expect.stringMatching(/^This is not JSON\..*line 1 column 10/),
    })
  expect(parseJsonFile('')).toEqual({ problem: expect.stringContaining('This is not JSON.') })
})

it('keeps the digits of numbers, and says that a key is repeated', () => {
  const parsed = parseJsonFile('[12345678901234567890, 1e-05, 0.12345678901234567, 1.0, {"a":1,"a":2}]')
  if ('problem' in parsed) throw new Error(parsed.problem)
  expect(preview(parsed.value)).toBe('[12345678901234567890, 1e-05, 0.12345678901234567, 1.0, { a: 2 }]')
  expect(parsed.notices).toEqual([expect.stringContaining('a key more than once')])
  expect(parseJsonFile('["12345678901234567890"]')).toMatchObject({ notices: [] })
})

it('reads one value per line, and names the line of a fault', () => {
  expect(parseJsonLines('{"a":1}\n\n[NaN]\r\n')).toMatchObject({ value: [{ a: 1 }, [Number.NaN]] })
  expect(parseJsonLines('1\n2\nx')).toEqual({ problem: expect.stringMatching(/^Line 3: This is not JSON/) })
})

it('reads 100,000 levels, of which a tree opens some at once', () => {
  const levels = 100_000
  for (const inner of ['', 'NaN']) {
    const parsed = parseJsonFile('['.repeat(levels) + inner + ']'.repeat(levels))
    if ('problem' in parsed) throw new Error(parsed.problem)
    expect(listNodes(parsed.value, openLevels(parsed.value, 5000)).length).toBeGreaterThan(50)
  }
})
