import { describe, expect, it } from 'vitest'
import { readScoresFile } from './read-scores-file'

const read = (value: unknown, columns = ['score']) =>
  readScoresFile(
    'results.json',
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    columns,
  )

const tests = [
  { name: 'adds', score: 2, max_score: 2, output: 'ok', visibility: 'hidden' },
  { name: 'divides', score: 0.5, max_score: 1, status: 'failed' },
]

describe('results.json of an autograder for Gradescope', () => {
  it('has a score: it counts, whatever the tests have', () => {
    expect(read({ score: 44, tests, execution_time: 3, output: 'text' })).toEqual({ scores: { score: 44 } })
  })

  it('has no score: the sum of its tests counts', () => {
    expect(read({ tests })).toEqual({ scores: { score: 2.5 } })
    expect(read({ score: null, tests, leaderboard: null })).toEqual({ scores: { score: 2.5 } })
  })

  it('has columns of the names of values on its leaderboard and of its tests: they count, and the rest is not read', () => {
    const leaderboard = [
      { name: 'Accuracy', value: 0.926, order: 'desc' },
      { name: 'Time (s)', value: '*****', order: 'asc' },
      { name: 'adds', value: 7 },
    ]
    expect(read({ tests, leaderboard }, ['score', 'Accuracy', 'adds', 'divides'])).toEqual({
      scores: { score: 2.5, Accuracy: 0.926, adds: 7, divides: 0.5 },
    })
  })

  it('has no columns of the score: a test needs none', () => {
    const leaderboard = [{ name: 'acc', value: 1 }]
    expect(read({ tests: [{ name: 'adds' }], leaderboard }, ['acc'])).toEqual({ scores: { acc: 1 } })
  })

  it.each<[string, unknown, string[], string]>([
    ['no score and no tests', {}, ['score'], 'lacks columns of competition.yaml: score'],
    ['no tests in its list', { tests: [] }, ['score'], 'lacks columns of competition.yaml: score'],
    ['a text as score', { score: '44' }, ['score'], 'no finite numbers: score'],
    ['an object as score', { score: { value: 44 } }, ['score'], 'no finite numbers: score'],
    ['NaN as score', '{"score": NaN}', ['score'], 'is no JSON'],
    ['a number that is too large', '{"score": 1e999}', ['score'], 'no finite numbers: score'],
    [
      'a sum that is too large',
      { tests: Array(2).fill({ score: 1e308 }) },
      ['score'],
      'no finite numbers: score',
    ],
    [
      'a test without a score',
      { tests: [{ score: 1 }, { name: 'x' }] },
      ['score'],
      'no finite numbers: score',
    ],
    ['a test with a text as score', { tests: [{ score: '1' }] }, ['score'], 'no finite numbers: score'],
    ['tests that are no list', { tests: { score: 1 } }, ['score'], '"tests" that are no list'],
    ['tests in a list', { tests: [[{ score: 1 }]] }, ['score'], '"tests" that are no list of objects'],
    [
      'a leaderboard that is no list',
      { score: 1, leaderboard: 'x' },
      ['score'],
      '"leaderboard" that is no list',
    ],
    ['no value of a column', { score: 1 }, ['score', 'acc'], 'lacks columns of competition.yaml: acc'],
    [
      'a text on its leaderboard',
      { leaderboard: [{ name: 'acc', value: '1' }] },
      ['acc'],
      'no finite numbers: acc',
    ],
    [
      'a value of its leaderboard twice',
      { leaderboard: Array(2).fill({ name: 'acc', value: 1 }) },
      ['acc'],
      'a column twice',
    ],
    ['a test of a column twice', { tests: [tests[0], tests[0]] }, ['adds'], 'has a column twice'],
    ['a list', [{ score: 1 }], ['score'], 'no JSON object'],
    ['nothing', '', ['score'], 'is no JSON'],
    ['levels without end', '['.repeat(500_000), ['score'], 'is no JSON'],
  ])('has %s: does not count', (_, value, columns, why) => {
    expect(read(value, columns)).toEqual({ problem: expect.stringContaining(why) })
  })

  it('has columns of names that objects inherit: they are looked for in its lists', () => {
    expect(read({ score: 1 }, ['score', 'constructor'])).toEqual({
      problem: expect.stringContaining('lacks columns of competition.yaml: constructor'),
    })
  })

  it('is not UTF-8: does not count', () => {
    const bytes = Buffer.from('{"score": 1, "output": "\u00e9"}', 'latin1')
    expect(readScoresFile('results.json', bytes, ['score'])).toEqual({
      problem: expect.stringContaining('is no JSON'),
    })
  })

  it('has more tests than 1 MiB holds: they are added', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => ({ name: `t${index}`, score: 1 }))
    expect(read({ tests: many }, ['score', 't7'])).toEqual({ scores: { score: 200_000, t7: 1 } })
  })
})
