import type { GpuReading } from './gpu-reading'

/** Shares of 1 beyond which others' use keeps a GPU from being given out. */
export interface UseThresholds {
  memory: number
  load: number
}

/** How a GPU stood before a reading. */
export interface GpuStanding {
  /** gpuq has given out some of it. */
  allocated: boolean
  /** A job of ours was on it a moment ago: what is left of its use is not others'. */
  oursLately: boolean
  busyReason: string | null
  /** Readings in a row without use by others. */
  calm: number
}

interface GpuAssessment {
  busyReason: string | null
  calm: number
}

/** After so many readings without use by others a GPU is given out again: one alone may lie between two of their steps. */
const calmEnough = 2

/**
 * Why a GPU is not given out although gpuq has not given it away: a fault, or others' use over the thresholds. While a
 * job of ours is on it, its use says nothing of others.
 */
export function assessGpu(
  reading: GpuReading,
  standing: GpuStanding,
  thresholds: UseThresholds,
): GpuAssessment {
  if (reading.fault !== null) return { busyReason: reading.fault, calm: 0 }
  if (standing.allocated) return { busyReason: null, calm: 0 }
  if (isOver(reading, thresholds))
    return { busyReason: standing.oursLately ? standing.busyReason : describeUse(reading), calm: 0 }
  const calm = standing.calm + 1
  if (standing.busyReason === null || calm >= calmEnough) return { busyReason: null, calm }
  return { busyReason: standing.busyReason, calm }
}

function isOver({ load, memoryUsedMib, memoryMib }: GpuReading, thresholds: UseThresholds): boolean {
  return (load ?? 0) > thresholds.load || (memoryUsedMib ?? 0) / memoryMib > thresholds.memory
}

const othersUseIt = 'Others use it'

/** Why a GPU is not given out, without figures that are others the next time that somebody looks. */
export function lastingReason(busyReason: string): string {
  return busyReason.startsWith(`${othersUseIt}:`) ? `${othersUseIt}.` : busyReason
}

/** Such as "Others use it: 70 of 80 GiB of memory, 95 % load." */
function describeUse({ load, memoryUsedMib, memoryMib }: GpuReading): string {
  const memory = memoryUsedMib === null ? [] : [`${gib(memoryUsedMib)} of ${gib(memoryMib)} GiB of memory`]
  const share = load === null ? [] : [`${Math.round(load * 100)} % load`]
  return `${othersUseIt}: ${[...memory, ...share].join(', ')}.`
}

function gib(mib: number): string {
  const value = mib / 1024
  return value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value))
}
