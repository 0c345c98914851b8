import { expect, it } from 'vitest'
import { formatGib, formatModels, formatNeed, formatQueuedNeed, formatShare } from './format-amounts'

it.each([
  [0, '0 %'],
  [0.004, '0.4 %'],
  [0.333, '33 %'],
  [1, '100 %'],
])('a share of %d is "%s"', (share, text) => expect(formatShare(share)).toBe(text))

it.each([
  [0, '0 GiB'],
  [1, '0.01 GiB'],
  [256, '0.25 GiB'],
  [512, '0.5 GiB'],
  [1020, '1.0 GiB'],
  [1536, '1.5 GiB'],
  [81_920, '80 GiB'],
])('%d MiB are "%s"', (mib, text) => expect(formatGib(mib)).toBe(text))

it.each([
  [{ gpu_count: 0, gpu_fraction: null, gpu_memory_gb: null }, 'no GPU'],
  [{ gpu_count: 1, gpu_fraction: null, gpu_memory_gb: null }, '1 GPU'],
  [{ gpu_count: 1, gpu_fraction: 0.5, gpu_memory_gb: 16 }, '0.5 of a GPU with 16 GB'],
  [{ gpu_count: 8, gpu_fraction: 1, gpu_memory_gb: 40 }, '8 GPUs with 40 GB'],
])('%o asks for "%s"', (job, text) => expect(formatNeed(job)).toBe(text))

it.each([
  [{ gpu_model: null, instance_count: 1 }, '8 GPUs'],
  [{ gpu_model: 'H100', instance_count: 2 }, '8 GPUs (H100) on each of 2 nodes'],
])('in the queue, %o with 8 GPUs asks for "%s"', (more, text) => {
  expect(formatQueuedNeed({ gpu_count: 8, gpu_fraction: null, gpu_memory_gb: null, ...more })).toBe(text)
})

it('groups equal models', () => {
  expect(formatModels(['A100', 'H100', 'A100'])).toBe('2 × A100, H100')
})
