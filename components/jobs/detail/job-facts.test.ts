import { describe, expect, it } from 'vitest'
import { describeGpus } from './job-facts'

const gpu = (model: string, milli = 1000, simulated = false) => ({
  uuid: `GPU-${Math.random()}`,
  index: 0,
  model,
  simulated,
  milli,
})

describe('describeGpus', () => {
  it('counts equal GPUs', () => {
    expect(describeGpus([gpu('A100'), gpu('H200'), gpu('A100')])).toEqual([
      { text: '2 × A100', simulated: false },
      { text: 'H200', simulated: false },
    ])
  })

  it('shows the fraction of a shared GPU', () => {
    expect(describeGpus([gpu('A100', 250)])).toEqual([{ text: '0.25 of A100', simulated: false }])
  })

  it('never counts a simulated GPU together with a real one', () => {
    expect(describeGpus([gpu('A100'), gpu('A100', 1000, true)])).toEqual([
      { text: 'A100', simulated: false },
      { text: 'A100', simulated: true },
    ])
  })
})
