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

it('has the same resolution at the start and at the end of a long job, and keeps the mean load and the peak memory', () => {
  const store = new GpuSeriesStore()
  for (let second = 0; second < 40_000; second += 5) {
    const { gpus, ...rest } = record(second, second % 10 === 0 ? 1 : 0)
    store.take({
      ...rest,
      gpus: gpus.map((gpu) => ({ ...gpu, memory_used_mib: second === 7_205 ? 900 : 100 })),
    })
  }
  const samples = store.all()[0]?.samples ?? []
  const steps = samples.slice(1, -1).map(({ at }, nth) => at - (samples[nth]?.at ?? 0))
  expect(Math.max(...steps)).toBeLessThanOrEqual(2 * Math.min(...steps))
  expect(Math.max(...samples.map(({ memory_used_mib }) => memory_used_mib ?? 0))).toBe(900)
  const loads = samples.map(({ load }) => load ?? 0)
  expect(loads.reduce((sum, load) => sum + load, 0) / loads.length).toBeCloseTo(0.5, 2)
})

it('starts again after clear', () => {
  const store = new GpuSeriesStore()
  store.take(record(1, 1))
  store.clear()
  expect(store.all()).toEqual([])
})
