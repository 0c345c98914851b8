import type { ClusterGpu } from '@/lib/contract/cluster'
import { formatGib, formatShare } from '../format-amounts'
import type { GpuSeries } from './gpu-history'

export interface Measure {
  of: 'load' | 'memory' | 'temperature'
  label: string
  /** As it is now, in words. */
  now: string
  values: readonly (number | null)[]
  /** The value at the upper edge of a drawing. */
  max: number
}

/** The same array at every time, so that nothing is drawn again for it. */
const none: readonly number[] = []

/** A GPU that is hotter than this is in trouble anyway. */
const hottestC = 100

/** What is measured of a GPU, in the order in which it shows. */
export function measuresOf(gpu: ClusterGpu, series: GpuSeries | undefined): Measure[] {
  const { load = null, memory_used_mib: used = null, temperature_c: heat = null } = gpu.use ?? {}
  return [
    {
      of: 'load',
      label: 'Load',
      now: load === null ? '–' : formatShare(load),
      values: series?.load ?? none,
      max: 1,
    },
    {
      of: 'memory',
      label: 'Memory',
      now: used === null ? '–' : formatGib(used),
      values: series?.memory_used_mib ?? none,
      max: gpu.memory_mib,
    },
    {
      of: 'temperature',
      label: 'Temp.',
      now: heat === null ? '–' : `${heat} °C`,
      values: series?.temperature_c ?? none,
      max: hottestC,
    },
  ]
}
