import { describe, expect, it } from 'vitest'
import { scaleOf } from './scale'

const texts = (values: Parameters<typeof scaleOf>[0]) => scaleOf(values).ticks.map(({ text }) => text)

describe('the scale of an axis', () => {
  it('numbers of one size are linear, and those of several sizes are logarithmic', () => {
    const linear = scaleOf([0, 5, 10])
    expect([linear.kind, linear.place(5)]).toEqual(['linear', 0.5])
    const logarithmic = scaleOf([0.0001, 0.01])
    expect(logarithmic.kind).toBe('logarithmic')
    expect(logarithmic.place(0.001)).toBeCloseTo(0.5)
    expect(scaleOf([-1, 1000]).kind).toBe('linear')
  })

  it('texts, and numbers together with texts, are categories in their order', () => {
    const scale = scaleOf(['sgd', 'adam', 'sgd', 10, 9])
    expect(scale.kind).toBe('categories')
    expect(scale.ticks.map(({ text }) => text)).toEqual(['9', '10', 'adam', 'sgd'])
    expect(scale.place('9')).toBeCloseTo(0.125)
    expect(scaleOf([true, false]).kind).toBe('categories')
  })

  it('labels are round numbers', () => {
    expect(texts([0, 10])).toEqual(['0', '2', '4', '6', '8', '10'])
    expect(texts([0.1, 0.3])).toEqual(['0.1', '0.15', '0.2', '0.25', '0.3'])
    expect(texts([0.0001, 0.1])).toEqual(['1e-4', '0.001', '0.01', '0.1'])
  })

  it('equal values and no values have a place too', () => {
    expect(scaleOf([3, 3]).place(3)).toBe(0.5)
    expect(scaleOf([]).ticks).toEqual([])
  })
})
