import { expect, it } from 'vitest'
import { describeUnknownKeys } from './unknown-keys'

it.each([
  ['foo:bar', 'foo'],
  ['status:failed -Foo_1:bar', 'Foo_1'],
  ['"tag:x" größe:1', 'größe'],
])('a search that finds nothing names the word that is no key: %s', (search, key) => {
  expect(describeUnknownKeys(search)).toMatch(
    new RegExp(
      `^There is no key “${key}”, so it was searched as text\\. The keys are .*status.*, metric\\.$`,
    ),
  )
})

it.each([
  '',
  'bert',
  'status:failed',
  '-tag:a',
  'metric.loss<1',
  '"foo:bar"',
  'https://a.test',
  'lr=0.1',
  '12:30',
  ':a',
  'a"b:c',
])('a search without an unknown key says nothing: %s', (search) => {
  expect(describeUnknownKeys(search)).toBeNull()
})
