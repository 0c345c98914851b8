import { describe, expect, it } from 'vitest'
import { assessGpu, type GpuStatus } from './gpu-health'
import type { GpuReading } from './gpu-reading'

const thresholds = { memory: 0.8, load: 0.8 }
const idle: GpuReading = {
  index: 0,
  uuid: 'GPU-a',
  model: 'NVIDIA H100 80GB HBM3',
  memoryMib: 81_559,
  load: 0,
  memoryUsedMib: 4,
  temperatureC: 31,
  powerW: 70,
  fault: null,
}
const free: GpuStatus = { allocated: false, recentlyAllocated: false, busyReason: null, quietReadings: 0 }

/** Returns the reason after each reading of a sequence. */
function follow(readings: Partial<GpuReading>[], standing: Partial<GpuStatus> = {}): (string | null)[] {
  let state = { ...free, ...standing }
  return readings.map((reading) => {
    state = { ...state, ...assessGpu({ ...idle, ...reading }, state, thresholds) }
    return state.busyReason
  })
}

describe('judgeGpu', () => {
  it('reports foreign use of an unallocated GPU from the first reading', () => {
    expect(follow([{ load: 0.95, memoryUsedMib: 71_680 }])).toEqual([
      'Other processes use it: 70 of 80 GiB of memory, 95 % load.',
    ])
    expect(follow([{ load: 0.9 }])).toEqual(['Other processes use it: 0 of 80 GiB of memory, 90 % load.'])
    expect(follow([{ load: null, memoryUsedMib: 7_800, memoryMib: 8_192 }])).toEqual([
      'Other processes use it: 7.6 of 8 GiB of memory.',
    ])
  })

  it('accepts values at the threshold, and values that nvidia-smi does not report', () => {
    expect(follow([{ load: 0.8 }, { load: null, memoryUsedMib: null }])).toEqual([null, null])
  })

  it('needs two readings without foreign use in a row', () => {
    const busy = 'Other processes use it: 0 of 80 GiB of memory, 100 % load.'
    expect(follow([{ load: 1 }, {}, { load: 1 }, {}, {}])).toEqual([busy, busy, busy, busy, null])
    // A restarted worker knows only the stored reason.
    expect(follow([{}, {}], { busyReason: 'Other processes use it.' })).toEqual([
      'Other processes use it.',
      null,
    ])
  })

  it('does not count the use of its own jobs, or what remains shortly after they end', () => {
    expect(follow([{ load: 1 }], { allocated: true })).toEqual([null])
    expect(follow([{ load: 1 }], { recentlyAllocated: true })).toEqual([null])
  })

  it('blocks a faulty GPU, whoever uses it', () => {
    const fault = 'nvidia-smi reports a fault: its power.draw is ERR!.'
    expect(follow([{ fault }], { allocated: true })).toEqual([fault])
    expect(follow([{ fault }, {}, {}])).toEqual([fault, fault, null])
  })
})
