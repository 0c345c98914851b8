import { expect, it } from 'vitest'
import { parseTestOptions, suiteEnvironment } from './test-options'

it('runs every check of npm test without arguments', () => {
  const options = { suite: 'test', patterns: [], changed: false, restart: false }
  expect(parseTestOptions([])).toEqual(options)
})

it('takes patterns, a suite, and what has changed', () => {
  expect(parseTestOptions(['lib/a', 'e2e'])).toMatchObject({ suite: 'test', patterns: ['lib/a', 'e2e'] })
  expect(parseTestOptions(['--faults', 'lease'])).toMatchObject({ suite: 'faults', patterns: ['lease'] })
  expect(parseTestOptions(['--release', '--restart'])).toMatchObject({ suite: 'release', restart: true })
  expect(parseTestOptions(['--changed'])).toMatchObject({ suite: 'test', changed: true })
})

it('refuses what it does not understand, and says what it knows', () => {
  expect(() => parseTestOptions(['--chnged'])).toThrow(/chnged.*npm test knows: --changed/)
  expect(() => parseTestOptions(['--faults', '--hostile'])).toThrow('exclude each other')
  expect(() => parseTestOptions(['--restart'])).toThrow('--release')
  expect(() => parseTestOptions(['--changed', 'lib'])).toThrow('no pattern')
})

it('adds the products and the long fuzzing in the release suite only', () => {
  expect(suiteEnvironment({ suite: 'test' })).toEqual({})
  expect(suiteEnvironment({ suite: 'release' })).toEqual({
    GPUQ_TEST_MATRIX: 'release',
    GPUQ_FUZZ_REQUESTS: '5000',
  })
})
