import { expect, it } from 'vitest'
import { statsSchema, toUsage } from './container-usage'

const mib = 1024 * 1024
const usageOf = (stats: object) => toUsage(statsSchema.parse(stats))
const cpu_stats = { cpu_usage: { total_usage: 2_500_000_000, percpu_usage: [2_500_000_000] }, online_cpus: 1 }

it('reads the peak memory of cgroups version 1', () => {
  const memory_stats = {
    usage: 60 * mib,
    max_usage: 210 * mib,
    stats: { cache: 20 * mib, total_inactive_file: 20 * mib },
    limit: 512 * mib,
  }
  expect(usageOf({ cpu_stats, memory_stats })).toEqual({ cpuSeconds: 2.5, memoryMib: 40, memoryPeakMib: 210 })
})

it('reads the current memory of cgroups version 2, without reclaimable cache', () => {
  const memory_stats = {
    usage: 150 * mib,
    stats: { anon: 90 * mib, inactive_file: 50 * mib },
    limit: 512 * mib,
  }
  expect(usageOf({ cpu_stats, memory_stats })).toEqual({
    cpuSeconds: 2.5,
    memoryMib: 100,
    memoryPeakMib: 100,
  })
  const more = { usage: mib, stats: { inactive_file: 2 * mib } }
  expect(usageOf({ cpu_stats, memory_stats: more })?.memoryPeakMib).toBe(0)
})

it('does not read the limit as the peak', () => {
  const memory_stats = { usage: 100 * mib, max_usage: 512 * mib, limit: 512 * mib }
  expect(usageOf({ cpu_stats, memory_stats })?.memoryPeakMib).toBe(100)
})

it.each([{}, null, undefined])(
  'returns no figures for a container that is not running: %o',
  (memory_stats) => {
    expect(usageOf({ cpu_stats: { cpu_usage: { total_usage: 0 } }, memory_stats })).toBeNull()
  },
)
