import { expect, it } from 'vitest'
import { statsSchema, toUsage } from './container-usage'

const mib = 1024 * 1024
const usageOf = (stats: object) => toUsage(statsSchema.parse(stats))
const cpu_stats = { cpu_usage: { total_usage: 2_500_000_000, percpu_usage: [2_500_000_000] }, online_cpus: 1 }

it('takes the peak that version 1 of control groups keeps', () => {
  const memory_stats = {
    usage: 60 * mib,
    max_usage: 210 * mib,
    stats: { cache: 20 * mib, total_inactive_file: 20 * mib },
    limit: 512 * mib,
  }
  expect(usageOf({ cpu_stats, memory_stats })).toEqual({ cpuSeconds: 2.5, memoryPeakMib: 210 })
})

it('takes what version 2 says is held now, without what the kernel can drop', () => {
  const memory_stats = {
    usage: 150 * mib,
    stats: { anon: 90 * mib, inactive_file: 50 * mib },
    limit: 512 * mib,
  }
  expect(usageOf({ cpu_stats, memory_stats })).toEqual({ cpuSeconds: 2.5, memoryPeakMib: 100 })
  const more = { usage: mib, stats: { inactive_file: 2 * mib } }
  expect(usageOf({ cpu_stats, memory_stats: more })?.memoryPeakMib).toBe(0)
})

it('does not take for a peak what stands there where none is kept', () => {
  const memory_stats = { usage: 100 * mib, max_usage: 512 * mib, limit: 512 * mib }
  expect(usageOf({ cpu_stats, memory_stats })?.memoryPeakMib).toBe(100)
})

it.each([{}, null, undefined])('has no figures of a container that does not run: %o', (memory_stats) => {
  expect(usageOf({ cpu_stats: { cpu_usage: { total_usage: 0 } }, memory_stats })).toBeNull()
})
