import { expect, it } from 'vitest'
import { TransferRate } from './transfer-rate'

it('is the mean of the last seconds', () => {
  const rate = new TransferRate()
  rate.add(0, 0)
  expect(rate.perSecond()).toBeNull()
  rate.add(1000, 1000)
  expect(rate.perSecond()).toBe(1000)
  for (let second = 2; second <= 20; second++) rate.add(1000 + (second - 1) * 50, second * 1000)
  expect(rate.perSecond()).toBe(50)
})

it('starts again when bytes have to be sent again', () => {
  const rate = new TransferRate()
  rate.add(0, 0)
  rate.add(5000, 1000)
  rate.add(100, 2000)
  expect(rate.perSecond()).toBeNull()
  rate.add(300, 3000)
  expect(rate.perSecond()).toBe(200)
})
