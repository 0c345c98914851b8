import { expect, it } from 'vitest'
import { formatBytes, formatCount, formatLimit, formatNumber } from './format-number'

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1_468_006, '1.4 MiB'],
  [50 * 1024 ** 2, '50 MiB'],
  [3 * 1024 ** 5, '3072 TiB'],
])('%d bytes are "%s"', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

it('separates thousands', () => {
  expect(formatNumber(300_000)).toBe('300,000')
})

it('formats a count with its noun', () => {
  expect([formatCount(1, 'GPU'), formatCount(1200, 'GPU')]).toEqual(['1 GPU', '1,200 GPUs'])
})

it('names the default where no limit is set', () => {
  expect([formatLimit(null), formatLimit(0), formatLimit(1_000_000)]).toEqual(['no limit', '0', '1,000,000'])
})
