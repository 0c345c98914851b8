import { describe, expect, it } from 'vitest'
import { readScoresFile } from './read-scores-file'

const read = (text: string) => readScoresFile('scores.txt', Buffer.from(text), ['acc', 'priv'])

describe('scores.txt of a scoring program for Codabench', () => {
  it.each([
    'acc: 1\npriv: -1.5e-3\n',
    '\ufeffpriv: -0.0015\r\nacc: 1.\r\n',
    '# of one entry\n\n  acc :   +1  \n  priv: -.0015',
  ])('has a number for each column, as %j: they are its scores', (text) => {
    expect(read(text)).toEqual({ scores: { acc: 1, priv: -0.0015 } })
  })

  it.each([
    ['', 'lacks columns of competition.yaml: acc, priv'],
    ['acc: 1', 'lacks columns of competition.yaml: priv'],
    ['acc: 1\npriv: 0\nmore: 2', 'does not have: more'],
    ['acc: 1\npriv: 0\n__proto__: 2', 'does not have: __proto__'],
    ['acc: 1\npriv: 0\nacc: 2', 'has a column twice'],
    ['acc: nan\npriv: 0', 'no finite numbers: acc'],
    ['acc: .inf\npriv: -Infinity', 'no finite numbers: acc, priv'],
    ['acc: 1e999\npriv: 0', 'no finite numbers: acc'],
    ['acc: "1"\npriv: true', 'no finite numbers: acc, priv'],
    ['acc: 0x10\npriv: [1]', 'no finite numbers: acc, priv'],
    ['acc:\n  public: 1\npriv: 0', 'not COLUMN: NUMBER: acc:'],
    ['acc: 1 # best\npriv: 0', 'not COLUMN: NUMBER: acc: 1 # best'],
    ['acc: 0.93 priv: 1', 'not COLUMN: NUMBER: acc: 0.93 priv: 1'],
    ['0.93', 'not COLUMN: NUMBER: 0.93'],
  ])('is %j: does not count', (text, why) => {
    expect(read(text)).toEqual({ problem: expect.stringContaining(why) })
  })

  it('is not UTF-8: does not count', () => {
    const latin = Buffer.from('acc: 1\npriv: 0\n# \u00e9', 'latin1')
    const wide = Buffer.from('acc: 1\npriv: 0\n', 'utf16le')
    expect(readScoresFile('scores.txt', latin, ['acc', 'priv'])).toEqual({
      problem: 'The file of scores is no text in UTF-8.',
    })
    expect(readScoresFile('scores.txt', wide, ['acc', 'priv'])).toEqual({ problem: expect.any(String) })
  })

  it('has more lines than 1 MiB holds: they are counted, and a few are named', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `c${index}: 1`)
    expect(read(many.join('\n'))).toEqual({ problem: expect.stringContaining('c4 and 199995 more.') })
  })
})
