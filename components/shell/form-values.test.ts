import { expect, it } from 'vitest'
import { numberText, optionalNumberText } from './form-values'

const whole = numberText({ min: 0, max: 64, whole: true })

it.each(['0', ' 64 '])('accepts "%s"', (text) => {
  expect(whole.parse(text)).toBe(Number(text))
})

it.each(['', '-1', '65', '1.5', 'two', 'NaN', 'Infinity'])('rejects "%s" with a message', (text) => {
  const [issue] = whole.safeParse(text).error?.issues ?? []
  expect(issue?.message).toBe('Use a whole number from 0 to 64.')
})

it('accepts decimals if allowed', () => {
  expect(numberText({ min: 0.001, max: 8 }).parse('0.5')).toBe(0.5)
})

it('accepts empty text if optional', () => {
  const optional = optionalNumberText({ min: 0, max: 8 })
  expect(optional.parse(' ')).toBeNull()
  expect(optional.parse('2')).toBe(2)
  expect(optional.safeParse('x').error?.issues[0]?.message).toBe(
    'Use a number from 0 to 8, or leave it empty.',
  )
})
