import { describe, expect, it } from 'vitest'
import { isMetricName, parseNotFinite, visitNumbers } from './metrics'

function numbersOf(value: unknown) {
  const found: [string, number][] = []
  visitNumbers(value, (name, number) => found.push([name, number]))
  return found
}

describe('the numbers of a line of JSON', () => {
  it('have the names of their keys, and of the objects around them', () => {
    const line = {
      step: 1,
      name: 'x',
      ok: true,
      none: null,
      train: { loss: 0.5, top: { 5: 0.9 } },
      list: [1, { a: 2 }],
    }
    expect(numbersOf(line)).toEqual([
      ['step', 1],
      ['train.loss', 0.5],
      ['train.top.5', 0.9],
    ])
    for (const value of [1, 'NaN', null, [1], undefined]) expect(numbersOf(value)).toEqual([])
  })

  it('are NaN if they are not finite', () => {
    expect(
      numbersOf({ a: Number.POSITIVE_INFINITY, b: 'NaN', c: '-Infinity', d: 'inf', e: 'infinite' }),
    ).toEqual([
      ['a', Number.NaN],
      ['b', Number.NaN],
      ['c', Number.NaN],
      ['d', Number.NaN],
    ])
  })

  it('the numbers of a line of JSON of objects without end are not visited', () => {
    const line = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    expect(numbersOf(JSON.parse(line))).toEqual([])
  })
})

describe('a line with NaN or Infinity', () => {
  it('is read as Python wrote it', () => {
    expect(parseNotFinite('{"step": 3, "loss": NaN, "a": -Infinity, "NaN": "Infinity \\" NaN"}')).toEqual({
      step: 3,
      loss: 'NaN',
      a: '-Infinity',
      NaN: 'Infinity " NaN',
    })
  })

  it.each(['{"a": 1}', '{NaN: 1}x', 'NaN', '{"a": NaN'])('%s is no such object', (line) => {
    expect(numbersOf(parseNotFinite(line))).toEqual([])
  })
})

it.each([
  ['loss', true],
  ['val/acc [%]', true],
  ['x'.repeat(128), true],
  ['', false],
  ['x'.repeat(129), false],
  ['a\0', false],
  ['\ud800', false],
  ['a\u202eb', false],
])('the name %j can be shown: %j', (name, expected) => {
  expect(isMetricName(name)).toBe(expected)
})
