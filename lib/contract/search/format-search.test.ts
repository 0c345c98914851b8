import { expect, it } from 'vitest'
import { filtersToText, quoteValue, singleValue, splitTerms, withValue } from './format-search'
import { parseSearch } from './parse-search'

it('writes values so that they are read again', () => {
  for (const value of ['v2', 'the best', 'a,b', '"', '\\', 'é"\\ ,']) {
    expect(parseSearch(`tag:${quoteValue(value)}`)).toEqual({
      ok: true,
      terms: [{ key: 'tag', values: [value] }],
    })
  }
})

it('writes filters as a search', () => {
  expect(filtersToText({ status: 'failed', tag: 'the best', starred: true, q: ' resnet ' })).toBe(
    'status:failed tag:"the best" is:starred resnet',
  )
  expect(filtersToText({})).toBe('')
})

it('reads and changes the value of one key, and keeps the rest', () => {
  const text = 'status:failed  tag:"a  status:b" x'
  expect(singleValue(text, 'status')).toBe('failed')
  expect(singleValue('status:failed,running', 'status')).toBeUndefined()
  expect(singleValue('tag:"', 'tag')).toBeUndefined()
  expect(withValue(text, 'status', 'running')).toBe('tag:"a  status:b" x status:running')
  expect(withValue(text, 'status', null)).toBe('tag:"a  status:b" x')
  expect(withValue('', 'is', 'starred')).toBe('is:starred')
  expect(singleValue('-status:failed', 'status')).toBeUndefined()
  expect(withValue('-tag:a', 'tag', 'b')).toBe('-tag:a tag:b')
})

it('splits terms, also in a text without the last quote', () => {
  expect(splitTerms(' a  tag:"b c" d"e f')).toEqual(['a', 'tag:"b c"', 'd"e f'])
  expect(splitTerms('"\\')).toHaveLength(1)
})
