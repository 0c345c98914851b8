import type { ClusterGpu } from '@/lib/contract/cluster'
import { formatGib, formatShare } from '../format-amounts'
import type { GpuSeries } from './gpu-history'

export interface GpuMetric {
  of: 'load' | 'memory' | 'temperature'
  label: string
  /** The current value, formatted. */
  now: string
  values: readonly (number | null)[]
  /** The value at the top of a chart. */
  max: number
}

/** Always the same array, so that it causes no rendering. */
const none: readonly number[] = []

/** The top of the temperature chart. */
const hottestC = 100

/** The metrics of a GPU in display order. */
export function gpuMetrics(gpu: ClusterGpu, series: GpuSeries | undefined): GpuMetric[] {
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
