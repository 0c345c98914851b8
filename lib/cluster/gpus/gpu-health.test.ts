import { describe, expect, it } from 'vitest'
import { assessGpu, type GpuStanding } from './gpu-health'
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
const free: GpuStanding = { allocated: false, oursLately: false, busyReason: null, calm: 0 }

/** The reasons after each of the readings, one after the other. */
function follow(readings: Partial<GpuReading>[], standing: Partial<GpuStanding> = {}): (string | null)[] {
  let state = { ...free, ...standing }
  return readings.map((reading) => {
    state = { ...state, ...assessGpu({ ...idle, ...reading }, state, thresholds) }
    return state.busyReason
  })
}

describe('judgeGpu', () => {
  it('says who uses a GPU of which gpuq has given nothing out, from the first reading', () => {
    expect(follow([{ load: 0.95, memoryUsedMib: 71_680 }])).toEqual([
      'Others use it: 70 of 80 GiB of memory, 95 % load.',
    ])
    expect(follow([{ load: 0.9 }])).toEqual(['Others use it: 0 of 80 GiB of memory, 90 % load.'])
    expect(follow([{ load: null, memoryUsedMib: 7_800, memoryMib: 8_192 }])).toEqual([
      'Others use it: 7.6 of 8 GiB of memory.',
    ])
  })

  it('gives it out at the threshold itself, and where nvidia-smi says nothing', () => {
    expect(follow([{ load: 0.8 }, { load: null, memoryUsedMib: null }])).toEqual([null, null])
  })

  it('believes that others are gone after two quiet readings in a row', () => {
    const busy = 'Others use it: 0 of 80 GiB of memory, 100 % load.'
    expect(follow([{ load: 1 }, {}, { load: 1 }, {}, {}])).toEqual([busy, busy, busy, busy, null])
    // A worker that has just started knows no more than the reason.
    expect(follow([{}, {}], { busyReason: 'Others use it.' })).toEqual(['Others use it.', null])
  })

  it('takes what its own jobs do, and what they leave for a moment, for nobody else’s', () => {
    expect(follow([{ load: 1 }], { allocated: true })).toEqual([null])
    expect(follow([{ load: 1 }], { oursLately: true })).toEqual([null])
  })

  it('holds back a GPU with a fault, whoever has it', () => {
    const fault = 'nvidia-smi reports a fault: its power.draw is ERR!.'
    expect(follow([{ fault }], { allocated: true })).toEqual([fault])
    expect(follow([{ fault }, {}, {}])).toEqual([fault, fault, null])
  })
})
