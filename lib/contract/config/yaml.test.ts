import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxConfigBytes, parseConfig } from './config'

const base = 'competition_id: c\nproject_id: p\nexpected_time: 60\n'

function errorsOf(text: string) {
  const result = parseConfig(text)
  return result.ok ? [] : result.errors
}

describe('text that is not one YAML mapping', () => {
  it.each([
    ['nothing', '', 1, 1, 'the config is empty'],
    ['a comment', '# later\n', 1, 1, 'the config is empty'],
    ['null', '~', 1, 1, 'the config is empty'],
    ['a list', '- a\n- b\n', 1, 1, 'not a list'],
    ['a line', 'hello', 1, 1, 'a space after each colon'],
    ['colons without spaces', 'competition_id:c\nproject_id:p', 1, 1, 'a space after each colon'],
    ['an open quote at the end', 'project_id: p\nname: "x\n', 2, 7, 'a quote is opened here'],
    ['an open quote', 'name: "x\nproject_id: p\nexpected_time: 3\n', 1, 7, 'a quote is opened here'],
    ['an open quote before another', 'name: "x\nproject_id: "p"\n', 1, 7, 'a quote is opened here'],
    ['an open single quote', "# it's\nname: 'x\n\nproject_id: p\n", 2, 7, 'a quote is opened here'],
    ['an open quote in a list', 'tags: ["a", "b]\nname: x\n', 1, 13, 'a quote is opened here'],
    ['an open quote in a mapping', 'env:\n  A: "x\n  B: y\nname: z\n', 2, 6, 'a quote is opened here'],
    ['an open quote in a key', '"name: x\nproject_id: p\n', 1, 1, 'a quote is opened here'],
    ['an open bracket', '{project_id: p', 1, 15, 'a bracket is opened'],
    ['an open bracket within', 'env: {A: b\nname: x\n', 2, 1, 'a bracket is opened'],
    ['two colons', `${base}name: a: b`, 4, 7, 'in quotes'],
    ['a tab', 'env:\n\tA: 1', 2, 1, 'a tab'],
    ['wrong indentation', 'env:\n    A: 1\n  B: 2\n', 3, 1, 'indentation'],
    ['an at sign', 'name: @x', 1, 7, 'in quotes'],
    ['a wrong escape', 'name: "\\q"', 1, 8, 'escape'],
    ['two documents', `${base}---\n${base}`, 4, 1, 'a second document'],
    ['an alias', 'name: &a x\nproject_id: *a', 1, 10, 'aliases'],
    ['an unknown alias', 'project_id: *a', 1, 13, 'aliases'],
    ['a custom tag', 'name: !secret x', 1, 7, 'tags'],
    ['a Python tag', 'name: !!python/object/apply:os.system [ls]', 1, 7, 'tags'],
    ['a binary tag', 'name: !!binary aGk=', 1, 7, 'tags'],
    ['a set', 'tags: !!set {a}', 1, 7, 'tags'],
    ['YAML 1.1', '%YAML 1.1\n---\nname: x', 1, 1, 'YAML 1.2'],
    ['an unknown directive', '%FOO bar\n---\nname: x', 1, 1, '%'],
    ['a key that is a list', '[a]: b', 1, 1, 'a key must be'],
    ['NUL', 'name: a\0b', 1, 8, 'U+0000'],
    ['an escape character', 'project_id: p\nname: \x1b[31m', 2, 7, 'U+001B'],
  ])('is refused at its place: %s', (_, text, line, column, message) => {
    const [error] = errorsOf(text)
    expect(error).toMatchObject({ path: 'config_file', line, column })
    expect(error?.message).toContain(message)
  })

  it('is refused line by line, but not for pages', () => {
    const errors = errorsOf('a: "\\q"\nb: "\\q \\q"\n'.repeat(20))
    expect(errors.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('text made to hurt', () => {
  it.each([
    ['brackets', '['.repeat(20_000)],
    ['braces', '{a: '.repeat(16_000)],
    ['dashes', '- '.repeat(20_000)],
    ['question marks', '? '.repeat(20_000)],
    ['indentation', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
  ])('is refused as nested too deep: %s', (_, text) => {
    expect(errorsOf(text)).toMatchObject([{ message: 'nested deeper than 32 levels' }])
  })

  it.each([
    ['closing brackets', ']'.repeat(60_000)],
    ['commas', `[${','.repeat(60_000)}`],
    ['tags', '! '.repeat(30_000)],
    [
      'keys',
      Array.from({ length: 8000 }, (_, index) => `k${index}: 1\n`)
        .join('')
        .slice(0, 65_000),
    ],
  ])('is refused as more than any config holds: %s', (_, text) => {
    expect(errorsOf(text)).toMatchObject([{ message: expect.stringContaining('far more entries') }])
  })

  it('is refused by its size before anything reads it', () => {
    const at = `${base}#${'x'.repeat(maxConfigBytes - base.length - 1)}`
    expect(parseConfig(at).ok).toBe(true)
    expect(errorsOf(`${at}x`)).toEqual([{ path: 'config_file', message: 'must be at most 64 KiB' }])
    expect(errorsOf(`${at.slice(0, -1)}ž`)).toHaveLength(1)
  })

  it('cannot expand: a billion laughs is an alias like any other', () => {
    const laughs = Array.from(
      { length: 9 },
      (_, level) => `a${level + 1}: &a${level + 1} [*a${level}, *a${level}]\n`,
    )
    const errors = errorsOf(`a0: &a0 lol\n${laughs.join('')}`)
    expect(errors[0]?.message).toContain('aliases')
  })

  it('never throws, and always says where', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        ': ',
        ':',
        '\n',
        '  ',
        '- ',
        '{',
        '}',
        '[',
        ']',
        ',',
        '"',
        "'",
        '#',
        '&a',
        '*a',
        '!t ',
        '|',
        '>',
        '? ',
      ],
      ...[
        '%',
        '@',
        '`',
        '---\n',
        '...\n',
        '\t',
        '\r',
        '<<',
        '\\',
        'token',
        'env',
        '1',
        '.nan',
        '~',
        '😀',
        '\ud800',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const errors = errorsOf(pieces.join(''))
        expect(errors.length).toBeGreaterThan(0)
        for (const { path, message, line, column } of errors) {
          expect(path).not.toBe('')
          expect(message).not.toBe('')
          expect(line).toBeGreaterThan(0)
          expect(column).toBeGreaterThan(0)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
