import type { ClusterGpu } from '@/lib/contract/cluster/cluster'
import { formatGib, formatShare } from '../format-amounts'
import type { GpuSeries } from './gpu-history'

export interface GpuMetric {
  label: string
  /** The current value, formatted. */
  now: string
  chart: {
    of: 'load' | 'memory' | 'temperature'
    at: readonly number[]
    values: readonly (number | null)[]
    /** The value at the top. */
    max: number
  }
}

/** Always the same arrays, so that they cause no rendering. */
const emptySeries = { at: [], load: [], memory_used_mib: [], temperature_c: [] }

/** The top of the temperature chart. */
const hottestC = 100

/** The metrics of a GPU in display order. */
export function gpuMetrics(gpu: ClusterGpu, series: GpuSeries | undefined): GpuMetric[] {
  const { load = null, memory_used_mib: used = null, temperature_c: heat = null } = gpu.use ?? {}
  const { at, load: loads, memory_used_mib: amounts, temperature_c: heats } = series ?? emptySeries
  return [
    {
      label: 'Load',
      now: load === null ? '–' : formatShare(load),
      chart: { of: 'load', at, values: loads, max: 1 },
    },
    {
      label: 'Memory',
      now: used === null ? '–' : formatGib(used),
      chart: { of: 'memory', at, values: amounts, max: gpu.memory_mib },
    },
    {
      label: 'Temp.',
      now: heat === null ? '–' : `${heat} °C`,
      chart: { of: 'temperature', at, values: heats, max: hottestC },
    },
  ]
}
