import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatJobLine, isBlankOrComment, type JobLine, readJobLine, splitLines } from './jobs-file'

const line = (changes: Partial<JobLine>): JobLine => ({
  priority: 0,
  script: '/a.py',
  condaEnv: '',
  args: '',
  allowedGpus: '',
  ...changes,
})

describe('a line', () => {
  it.each<[string, Partial<JobLine>]>([
    [
      '0,/path/to/train.py,pytorch_env,--llm qwen2.5-7b-inst --epochs 100,0-3',
      {
        script: '/path/to/train.py',
        condaEnv: 'pytorch_env',
        args: '--llm qwen2.5-7b-inst --epochs 100',
        allowedGpus: '0-3',
      },
    ],
    ['1,/a.py,e,--dataset test,', { priority: 1, condaEnv: 'e', args: '--dataset test' }],
    [
      '2,/a.py,,--llm m --batch_size 1,4,5,6,7',
      { priority: 2, args: '--llm m --batch_size 1', allowedGpus: '4,5,6,7' },
    ],
    ['0,/a.py,,--list "a,b" --x 1,0', { args: '--list "a,b" --x 1', allowedGpus: '0' }],
    [`0,/a.py,,--list 'a,b' it\\'s,`, { args: `--list 'a,b' it\\'s` }],
    [
      '0,/a.py,,"--list a,b --name ""two words""",0-1',
      { args: '--list a,b --name "two words"', allowedGpus: '0-1' },
    ],
    ['0,/a.py,,"one word" "two, words",1', { args: '"one word" "two, words"', allowedGpus: '1' }],
    ['0,"/with, comma.py",,,"1, 3 - 5"', { script: '/with, comma.py', allowedGpus: '1,3-5' }],
    [' -5 , /a.py , e , --x , 0 - 3 ', { priority: -5, condaEnv: 'e', args: '--x', allowedGpus: '0-3' }],
    [',/a.py', {}],
    ["0,/it's here.py,,", { script: "/it's here.py" }],
  ])('parses: %s', (text, expected) => {
    expect(readJobLine(text)).toEqual({ ok: true, line: line(expected) })
  })

  it.each([
    ['', 'no script'],
    ['0', 'no script'],
    ['0,,env,--x,', 'no script'],
    ['first,/a.py,,,', 'priority'],
    ['1.5,/a.py,,,', 'priority'],
    ['101,/a.py,,,', 'priority'],
    ['0,/a.py,,--list a,b,0-3', 'put arguments with a comma in quotes'],
    ['0,/a.py,,--x,3-1', 'GPU numbers and ranges'],
    ['0,/a.py,,--x,1,,2', 'GPU numbers and ranges'],
    ['0,/a.py,,--x,2000', 'GPU numbers and ranges'],
    ['0,/a.py,,--name "open,0', 'field 4: the quote " has no closing'],
    ['0,"/a.py,,,', 'field 2'],
    ['0,"/a.py"x,,,', 'field 2'],
    ['0,/a.py,,--x \u0000,', 'control characters'],
  ])('rejects: %j', (text, message) => {
    expect(readJobLine(text)).toEqual({ ok: false, message: expect.stringContaining(message) })
  })

  it('formats a job so that parsing returns the same job', () => {
    const text = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom(',', '"', "'", ' ', '\\', '#', '\t', 'é', '😀'),
          fc.string({ minLength: 1, maxLength: 1 }),
        ),
      })
      .filter((given) => !/[^\P{Cc}\t]/u.test(given))
    const gpus = fc
      .array(fc.tuple(fc.nat(1023), fc.nat(1023), fc.boolean()), { maxLength: 4 })
      .map((parts) =>
        parts.map(([a, b, range]) => (range ? `${Math.min(a, b)}-${Math.max(a, b)}` : `${a}`)).join(','),
      )
    const lines = fc.record({
      priority: fc.integer({ min: -100, max: 100 }).map((number) => number + 0),
      script: text.filter((given) => given !== ''),
      condaEnv: text,
      args: text,
      allowedGpus: gpus,
    })
    fc.assert(
      fc.property(lines, (given) => {
        expect(readJobLine(formatJobLine(given))).toEqual({ ok: true, line: given })
      }),
      { numRuns: 2000 },
    )
  })

  it('ignores comments and empty lines', () => {
    for (const text of ['', '  \t', '# 0,/a.py', '  # x']) expect(isBlankOrComment(text)).toBe(true)
    expect(isBlankOrComment('0,/a.py,,# x,')).toBe(false)
  })
})

describe('a file', () => {
  const split = (text: string) => splitLines(Buffer.from(text))

  it('splits at both kinds of line break and removes a byte order mark', () => {
    expect(split('\ufeffone\r\n\ntwo\n')).toEqual({
      lines: [
        { number: 1, text: 'one' },
        { number: 2, text: '' },
        { number: 3, text: 'two' },
      ],
      tail: null,
    })
  })

  it('separates the last line if it has no line break', () => {
    expect(split('one\n0,/half')).toEqual({
      lines: [{ number: 1, text: 'one' }],
      tail: { number: 2, text: '0,/half' },
    })
    expect(split('')).toEqual({ lines: [], tail: null })
  })

  it('decodes the other lines if one is not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('one\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from('three\n'),
    ])
    expect(splitLines(bytes).lines.map(({ text }) => text)).toEqual(['one', null, 'three'])
  })

  it('never returns a part of a line as a line, wherever the file was cut off', () => {
    const whole = Buffer.from('0,/é.py,,a,\n1,/b.py,,"x,y",0-3\n')
    const all = splitLines(whole).lines
    for (let end = 0; end <= whole.length; end++) {
      const { lines } = splitLines(whole.subarray(0, end))
      expect(lines).toEqual(all.slice(0, lines.length))
    }
  })
})
