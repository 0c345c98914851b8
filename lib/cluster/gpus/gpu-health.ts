import type { GpuReading } from './gpu-reading'

/** Foreign use above these fractions blocks a GPU. */
export interface UsageThresholds {
  memory: number
  load: number
}

/** The state of a GPU before a reading. */
export interface GpuStatus {
  /** gpuq has allocated some of it. */
  allocated: boolean
  /** One of our jobs ran on it moments ago, so remaining use may still be ours. */
  recentlyAllocated: boolean
  busyReason: string | null
  /** Consecutive readings without foreign use. */
  quietReadings: number
}

/**
 * Readings without foreign use before a GPU is released. One reading may fall between two steps of a foreign
 * process.
 */
const requiredQuietReadings = 2

/**
 * Returns why a GPU must not be allocated, or null: a fault, or foreign use above the thresholds. Foreign use cannot
 * be measured while one of our jobs runs on it.
 */
export function assessGpu(
  reading: GpuReading,
  standing: GpuStatus,
  thresholds: UsageThresholds,
): Pick<GpuStatus, 'busyReason' | 'quietReadings'> {
  if (reading.fault !== null) return { busyReason: reading.fault, quietReadings: 0 }
  if (standing.allocated) return { busyReason: null, quietReadings: 0 }
  if (isOver(reading, thresholds))
    return {
      busyReason: standing.recentlyAllocated ? standing.busyReason : describeUse(reading),
      quietReadings: 0,
    }
  const quietReadings = standing.quietReadings + 1
  if (standing.busyReason === null || quietReadings >= requiredQuietReadings)
    return { busyReason: null, quietReadings }
  return { busyReason: standing.busyReason, quietReadings }
}

function isOver({ load, memoryUsedMib, memoryMib }: GpuReading, thresholds: UsageThresholds): boolean {
  return (load ?? 0) > thresholds.load || (memoryUsedMib ?? 0) / memoryMib > thresholds.memory
}

const foreignUse = 'Other processes use it'

/** Returns the reason without figures that change with every reading. */
export function stableReason(busyReason: string): string {
  return busyReason.startsWith(`${foreignUse}:`) ? `${foreignUse}.` : busyReason
}

/** Example: "Other processes use it: 70 of 80 GiB of memory, 95 % load." */
function describeUse({ load, memoryUsedMib, memoryMib }: GpuReading): string {
  const memory = memoryUsedMib === null ? [] : [`${gib(memoryUsedMib)} of ${gib(memoryMib)} GiB of memory`]
  const share = load === null ? [] : [`${Math.round(load * 100)} % load`]
  return `${foreignUse}: ${[...memory, ...share].join(', ')}.`
}

function gib(mib: number): string {
  const value = mib / 1024
  return value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value))
}
