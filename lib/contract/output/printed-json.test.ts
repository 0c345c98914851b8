import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indentJson, PrintedNumber, readPrintedJson } from './printed-json'

const valueIn = (text: string) => readPrintedJson(text).value

describe('JSON as it was printed', () => {
  it.each(['1e-05', '1.0', '-0', '-0.0', '0.10', '1E5', '12345678901234567890', '9007199254740993', '1e400'])(
    'keeps the digits of %s',
    (source) => {
      const value = valueIn(`{"a": ${source}}`)
      expect(value).toEqual({ a: new PrintedNumber(source) })
      expect(String((value as { a: unknown }).a)).toBe(source)
    },
  )

  it.each(['0', '1', '-1.5', '0.1', '9007199254740991', '1e+25'])('has a number for %s', (source) => {
    expect(valueIn(source)).toBe(Number(source))
  })

  it('has what JSON.parse has', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const plain = (value: unknown): unknown => {
          if (value instanceof PrintedNumber) return value.value
          if (Array.isArray(value)) return value.map(plain)
          if (typeof value !== 'object' || value === null) return value
          return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
        }
        expect(plain(valueIn(json))).toEqual(JSON.parse(json))
      }),
    )
  })

  it('refuses what JSON.parse refuses, and says where', () => {
    const text = '{"a":[1,-2.5e3,"x\\u0041\\\\"],"b":{"c":null,"d":true},"e":""}'
    const parses = (read: () => unknown) => {
      try {
        read()
        return true
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError)
        return false
      }
    }
    for (let at = 0; at < text.length; at++) {
      for (const character of ['', ...'{}[]:,"\\ 019.-+eEtrufalsn']) {
        const damaged = text.slice(0, at) + character + text.slice(at + 1)
        expect(
          parses(() => valueIn(damaged)),
          damaged,
        ).toBe(parses(() => JSON.parse(damaged)))
      }
    }
    expect(() => valueIn('{"a": 1, oops}')).toThrow('Unexpected "o" at line 1 column 10.')
    expect(() => valueIn('[1,\n ?]')).toThrow('Unexpected "?" at line 2 column 2.')
    expect(() => valueIn('[1')).toThrow('Unexpected end at line 1 column 3.')
  })

  it('says whether a key is repeated, and has the last value', () => {
    expect(readPrintedJson('{"a":1,"a":2}')).toMatchObject({ value: { a: 2 }, repeatsKeys: true })
    expect(readPrintedJson('[{"a":1},{"a":2}]').repeatsKeys).toBe(false)
  })

  it('reads NaN and Infinity outside of texts, and says so', () => {
    expect(readPrintedJson('{"a":[NaN,-Infinity,Infinity],"NaN":"Infinity"}')).toEqual({
      value: { a: [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY], NaN: 'Infinity' },
      repeatsKeys: false,
      hasNotFinite: true,
    })
    expect(() => valueIn('NaNs')).toThrow(SyntaxError)
  })

  it('has a key with the name of the prototype', () => {
    const value = valueIn('{"__proto__":{"a":1}}')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
  })

  it('reads 100,000 levels', () => {
    expect(Array.isArray(valueIn(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))).toBe(true)
  })
})

describe('indented JSON', () => {
  it('is what JSON.stringify writes, for every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value)
        expect(indentJson(json)).toBe(JSON.stringify(JSON.parse(json), null, 2))
      }),
    )
  })

  it('keeps digits, escapes and repeated keys', () => {
    expect(indentJson('{"a": 1e-05 ,"a":[ ],"b":"\\u0041 {\\"}"}')).toBe(
      '{\n  "a": 1e-05,\n  "a": [],\n  "b": "\\u0041 {\\"}"\n}',
    )
  })
})
