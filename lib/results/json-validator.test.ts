import { describe, expect, it } from 'vitest'
import { JsonValidator } from './json-validator'

/** Checks a text in pieces of a size. */
function isValid(text: string, size = 3): boolean {
  const validator = new JsonValidator(4)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) validator.push(bytes.subarray(at, at + size))
  return validator.isComplete
}

function parses(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object' && JSON.parse(text) !== null
  } catch {
    return false
  }
}

describe('JsonValidator', () => {
  it.each([
    '{}',
    ' [ ] ',
    '{"a":1,"b":[true,false,null,-0.5e+10,"x\\n\\u00e9ž"],"":{}}',
    '[0,-0,1E5,10.25]',
    '["\\"",{"a":{"b":[1]}}]',
  ])('accepts %s', (text) => {
    for (const size of [1, 2, 7, 100]) expect(isValid(text, size)).toBe(true)
  })

  it.each([
    '',
    '1',
    '"x"',
    'null',
    '{',
    '[1',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "['a']",
    '[01]',
    '[1.]',
    '[.5]',
    '[+1]',
    '[1e]',
    '[--1]',
    '[nan]',
    '[Inf]',
    '[-NaN]',
    '{NaN:1}',
    '[tru]',
    '[truefalse]',
    '["\\x"]',
    '["\\u12g4"]',
    '["\t"]',
    '[1}',
    '{"a":1]',
    '[] []',
    '[1 2]',
    '[]x',
    '[[[[[]]]]]',
  ])('refuses %s', (text) => {
    for (const size of [1, 100]) expect(isValid(text, size)).toBe(false)
  })

  it('agrees with JSON.parse about damaged texts', () => {
    const text = '{"a":[1,-2.5e3,"x\\u0041\\\\"],"b":{"c":null,"d":true},"e":""}'
    const characters = '{}[]:,"\\ 019.-+eEtrufalsn'
    for (let at = 0; at < text.length; at++) {
      for (const character of ['', ...characters]) {
        const damaged = text.slice(0, at) + character + text.slice(at + 1)
        expect(isValid(damaged, 5), damaged).toBe(parses(damaged))
      }
    }
  })

  it.each(['[NaN]', '{"a":-Infinity}', '[1,Infinity,2]'])(
    'accepts %s, and says that it is not JSON',
    (text) => {
      for (const size of [1, 100]) expect(isValid(text, size)).toBe(true)
      for (const [json, hasNotFinite] of [
        [text, true],
        ['[1,"NaN"]', false],
      ] as const) {
        const validator = new JsonValidator(4)
        validator.push(Buffer.from(json))
        expect(validator.hasNotFinite).toBe(hasNotFinite)
      }
    },
  )

  it('reports early that a text cannot become valid', () => {
    const validator = new JsonValidator(4)
    validator.push(Buffer.from('[0.1 0.2'))
    expect(validator.mayBeValid).toBe(false)
  })
})
