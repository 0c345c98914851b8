import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readScores } from './read-scores'

const read = (text: string, columns = ['acc', 'priv']) => readScores(Buffer.from(text), columns)

describe('the file of a scoring program', () => {
  it('has a finite number for each column: they are its scores', () => {
    expect(read(' {"priv": -1.5e-3, "acc": 1}\n')).toEqual({ scores: { acc: 1, priv: -0.0015 } })
    expect(read('\ufeff{"acc": 0, "priv": 0}')).toEqual({ scores: { acc: 0, priv: 0 } })
  })

  it.each([
    ['{"acc": NaN, "priv": 0}', 'is no JSON'],
    ['{"acc": Infinity, "priv": 0}', 'is no JSON'],
    ['{"acc": -Infinity, "priv": 0}', 'is no JSON'],
    ['', 'is no JSON'],
    ['{"acc": 1, "priv": 0} {"acc": 2}', 'is no JSON'],
    ['{"acc": 1e999, "priv": 0}', 'no finite numbers: acc'],
    ['{"acc": "0.9", "priv": 0}', 'no finite numbers: acc'],
    ['{"acc": true, "priv": null}', 'no finite numbers: acc, priv'],
    ['{"acc": {"value": 1}, "priv": 0}', 'no finite numbers: acc'],
    ['{"acc": [1], "priv": 0}', 'no finite numbers: acc'],
    ['[{"acc": 1, "priv": 0}]', 'no JSON object'],
    ['null', 'no JSON object'],
    ['3', 'no JSON object'],
    ['{"acc": 1}', 'lacks columns of competition.yaml: priv'],
    ['{}', 'lacks columns of competition.yaml: acc, priv'],
    ['{"acc": 1, "priv": 0, "more": 2}', 'does not have: more'],
    ['{"acc": 1, "priv": 0, "__proto__": 2}', 'does not have: __proto__'],
    ['{"acc": 1, "priv": 0, "Acc": 2}', 'does not have: Acc'],
    ['{"acc": 0, "priv": 0, "acc": 1}', 'has a column twice'],
    ['{"acc": "x", "priv": 0, "acc": 1}', 'has a column twice'],
    ['{"acc": 1, "priv": 0, "\\u0061cc": 1}', 'has a column twice'],
  ])('%s: does not count', (text, why) => {
    expect(read(text)).toEqual({ problem: expect.stringContaining(why) })
  })

  it('is not UTF-8: does not count', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"acc": 1, "priv": 0, "'),
      Buffer.from([0xff]),
      Buffer.from('": 1}'),
    ])
    expect(readScores(bytes, ['acc', 'priv'])).toEqual({ problem: expect.stringContaining('no JSON') })
  })

  it('has many wrong columns: a few are named', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`c${index}`, index]))
    expect(read(JSON.stringify(many))).toEqual({ problem: expect.stringContaining('c4 and 4 more.') })
  })

  it('has more columns than 1 MiB holds: they are counted, and a few are named', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `"c${index}": 1`)
    expect(read(`{${many.join(', ')}}`)).toEqual({ problem: expect.stringContaining('c4 and 199995 more.') })
  })

  it('any finite scores: they are read as they were written', () => {
    const scores = fc.dictionary(
      fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,9}$/),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    )
    fc.assert(
      fc.property(scores, (given) => {
        expect(readScores(Buffer.from(JSON.stringify(given)), Object.keys(given))).toEqual({ scores: given })
      }),
    )
  })
})
