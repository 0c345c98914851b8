import { expect, it } from 'vitest'
import { GpuSeriesStore } from './gpu-series'

const record = (second: number, load: number, rank?: number) => ({
  type: 'metric' as const,
  t: new Date(second * 1000).toISOString(),
  gpus: [{ index: 3, load, memory_used_mib: 100 }],
  ...(rank === undefined ? {} : { rank }),
})

it('keeps the GPUs of each instance apart', () => {
  const store = new GpuSeriesStore()
  store.take(record(1, 0.5))
  store.take(record(2, 0.6, 1))
  store.take(record(3, 0.7))
  expect(store.all()).toEqual([
    {
      rank: 0,
      index: 3,
      samples: [
        { at: 1, load: 0.5, memory_used_mib: 100 },
        { at: 3, load: 0.7, memory_used_mib: 100 },
      ],
    },
    { rank: 1, index: 3, samples: [{ at: 2, load: 0.6, memory_used_mib: 100 }] },
  ])
})

it('stays small for long jobs, and keeps the first and last times', () => {
  const store = new GpuSeriesStore()
  for (let second = 0; second < 20_000; second++) store.take(record(second, 1))
  const [series] = store.all()
  expect(series?.samples.length).toBeLessThanOrEqual(4000)
  expect(series?.samples[0]?.at).toBe(0)
  expect(series?.samples.at(-1)?.at).toBe(19_999)
})

it('starts again after clear', () => {
  const store = new GpuSeriesStore()
  store.take(record(1, 1))
  store.clear()
  expect(store.all()).toEqual([])
})
