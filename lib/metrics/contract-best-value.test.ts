import { describe, expect, it } from 'vitest'
import { bestOf, guessBest } from './contract-best-value'

describe('the guess of the best value of a metric', () => {
  it.each([
    'loss',
    'val_loss',
    'train.loss',
    'valLoss',
    'top1-error',
    'RMSE',
    'eval/wer',
    'step_time',
    'ppl',
  ])('is the lowest for %s', (name) => expect(guessBest(name)).toBe('lowest'))

  it.each(['accuracy', 'f1', 'reward', 'tokens_per_second', 'timely', 'glossary', 'constructor'])(
    'is the highest for %s',
    (name) => expect(guessBest(name)).toBe('highest'),
  )
})

it.each(['epoch', 'step'])('no value of the counter %s is the best', (name) => {
  expect(guessBest(name)).toBeNull()
  expect(bestOf([1, 2], guessBest(name))).toBeUndefined()
})

describe('the best of some values', () => {
  it('is the lowest or the highest of those that are numbers', () => {
    const values = [2, undefined, 1, Number.NaN, 3, Number.POSITIVE_INFINITY]
    expect(bestOf(values, 'lowest')).toBe(1)
    expect(bestOf(values, 'highest')).toBe(3)
  })

  it('is none if nothing can be better', () => {
    expect(bestOf([], 'lowest')).toBeUndefined()
    expect(bestOf([undefined], 'highest')).toBeUndefined()
    expect(bestOf([1, 1], 'lowest')).toBeUndefined()
  })
})
