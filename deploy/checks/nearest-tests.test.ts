import { expect, test } from 'vitest'
import { nearestTests } from './nearest-tests.mjs'

const tests = [
  'cli/config.test.ts',
  'components/jobs/list/job-list.test.tsx',
  'lib/contract/config/config.test.ts',
  'lib/contract/errors.test.ts',
  'lib/http/problem.test.ts',
]

test('the test of a changed file comes first, then its neighbours', () => {
  expect(nearestTests(tests, ['lib/contract/errors.ts'], 3)).toEqual([
    'lib/contract/errors.test.ts',
    'lib/contract/config/config.test.ts',
    'lib/http/problem.test.ts',
  ])
})

test('a test is as near as the nearest changed file', () => {
  expect(nearestTests(tests, ['README.md', 'cli/config.ts'], 1)).toEqual(['cli/config.test.ts'])
})

test('unrelated tests keep the order of their paths', () => {
  expect(nearestTests([...tests].reverse(), [], 5)).toEqual(tests)
})
