import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSearch } from './parse-search'
import { describeSearchProblem } from './search-reader'

const termsOf = (text: string) => {
  const parsed = parseSearch(text)
  if (!parsed.ok) throw new Error(describeSearchProblem(parsed.problem))
  return parsed.terms
}
const problemOf = (text: string) => {
  const parsed = parseSearch(text)
  return parsed.ok ? null : describeSearchProblem(parsed.problem)
}

describe('a search', () => {
  it('has words, limits, metrics and text', () => {
    expect(termsOf(' status:failed tag:baseline user:ada metric.loss<0.2 some text ')).toEqual([
      { key: 'status', values: ['failed'] },
      { key: 'tag', values: ['baseline'] },
      { key: 'user', values: ['ada'] },
      { key: 'metric', name: 'loss', operator: '<', value: 0.2 },
      { key: 'text', text: 'some' },
      { key: 'text', text: 'text' },
    ])
  })

  it('may be empty', () => {
    expect(termsOf('')).toEqual([])
    expect(termsOf(' \t\n')).toEqual([])
  })

  it('has several values of one key, also in quotes', () => {
    expect(termsOf('tag:"the best",v2,"a \\"b\\", \\\\c"')).toEqual([
      { key: 'tag', values: ['the best', 'v2', 'a "b", \\c'] },
    ])
    expect(termsOf('STATUS:Failed,cancelled')).toEqual([{ key: 'status', values: ['failed', 'cancelled'] }])
    expect(termsOf('status=failed')).toEqual([{ key: 'status', values: ['failed'] }])
  })

  it.each([
    ['run_time>1h', { key: 'run_time', operator: '>', value: 3_600 }],
    ['wait<=1.5m', { key: 'wait', operator: '<=', value: 90 }],
    ['age<7D', { key: 'age', operator: '<', value: 604_800 }],
    ['gpu_hours:8', { key: 'gpu_hours', operator: '=', value: 8 }],
    ['metric.val/acc>=-1e-3', { key: 'metric', name: 'val/acc', operator: '>=', value: -0.001 }],
    ['metric."val loss [%]"=.5', { key: 'metric', name: 'val loss [%]', operator: '=', value: 0.5 }],
    ['metric.train.loss<1', { key: 'metric', name: 'train.loss', operator: '<', value: 1 }],
  ])('%s compares numbers', (text, term) => {
    expect(termsOf(text)).toEqual([term])
  })

  it('excludes words with a - before their key', () => {
    expect(termsOf('-status:failed,cancelled -TAG:"the best" -is:starred')).toEqual([
      { key: 'not', term: { key: 'status', values: ['failed', 'cancelled'] } },
      { key: 'not', term: { key: 'tag', values: ['the best'] } },
      { key: 'not', term: { key: 'is', values: ['starred'] } },
    ])
    expect(termsOf('-resnet x-y')).toEqual([
      { key: 'text', text: '-resnet' },
      { key: 'text', text: 'x-y' },
    ])
  })

  it('finds what is in quotes as text', () => {
    expect(termsOf('"lr=0.1 status:x"')).toEqual([{ key: 'text', text: 'lr=0.1 status:x' }])
    expect(termsOf('resnet50_lr0.1')).toEqual([{ key: 'text', text: 'resnet50_lr0.1' }])
  })

  it.each(['lr=0.1', 'lr:0.1', '-lr=0.1', 'https://example.com/a?b=c', 'a->b', '日本:語'])(
    'finds %s as text, because it has no known key',
    (text) => {
      expect(termsOf(text)).toEqual([{ key: 'text', text }])
    },
  )
})

describe('a mistake', () => {
  it.each([
    ['tag:"the best', 'Character 5: this quote is not closed. Write " at the end of the text.'],
    ['a "b', 'Character 3: this quote is not closed. Write " at the end of the text.'],
    [
      'x stauts:failed',
      'Character 3: there is no key “stauts”. Did you mean “status”? To search for this text, write it in quotes: "stauts:failed".',
    ],
    ['loss<0.2', /^Character 1: there is no key “loss”\. To compare a metric, write metric\.loss<0\.2\./],
    ['-stauts:failed', /^Character 1: there is no key “stauts”\. Did you mean “status”\?/],
    ['-run_time>1h', /^Character 1: only keys with words .* Write the opposite comparison\.$/],
    ['-metric.loss<1', /only keys with words/],
    ['-user:*', /such as -user:ada/],
    ['-tag:', 'Character 6: write a value after “tag:”, such as tag:baseline.'],
    ['status:faild', 'Character 8: status cannot be “faild”. Did you mean “failed”?'],
    ['status:xyz', /one of: pending, running, completed, failed, cancelled/],
    ['is:tagged', /one of: starred/],
    ['tag:', 'Character 5: write a value after “tag:”, such as tag:baseline.'],
    ['tag:a, b', /Character 7: write a value/],
    ['tag:"a"b', 'Character 8: write a space or a comma here.'],
    ['status<failed', 'Character 1: status has words as values, not amounts. Write status:failed.'],
    ['metric.loss<low', /Character 13: “low” is not a number/],
    ['metric.loss<NaN', /finite number/],
    ['metric.loss<1e999', /finite number/],
    ['metric.loss<', /Character 13: “” is not a number/],
    ['metric.loss', /Character 12: write < or > and a number/],
    ['metric.<1', /Character 1: write the name of a metric/],
    ['run_time>1', /Character 10: “1” is not a time\. Write a number and s, m, h or d/],
    ['wait>1w', /not a time/],
    ['wait>999999999d', /not a time/],
    ['gpu_hours>x', /not a number/],
    ['age=1d', /compare the age with < or >/],
    ['***', 'Character 1: write a word with letters or digits.'],
    ['x'.repeat(501), /^Character 501: a search has at most 500 characters/],
    ['a '.repeat(21), /^Character 41: a search has at most 20 terms/],
    [`tag:${'a,'.repeat(21)}`, /at most 20 values/],
    [`tag:${'a'.repeat(129)}`, /at most 128/],
    ['tag:a\0b', /^Character 6: a search cannot contain the character NUL/],
    ['"a\0b"', /^Character 3: a search cannot contain the character NUL/],
  ])('a mistake in %j has its place and what to write', (text, expected) => {
    if (typeof expected === 'string') expect(problemOf(text)).toBe(expected)
    else expect(problemOf(text)).toMatch(expected)
  })

  it('is described for every text', () => {
    const characters = fc.constantFrom(
      ...'ab:<>=",\\ .*'.split(''),
      'metric.',
      'tag:',
      '-tag:',
      'status:',
      '\0',
      'é',
      '10',
    )
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 600 }), (text) => {
        const parsed = parseSearch(text)
        if (parsed.ok) return
        expect(parsed.problem.message).toMatch(/\.$/)
        expect(parsed.problem.at).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})
