import { describe, expect, it } from 'vitest'
import { nextProbeAt } from './probe-times'

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000)

describe('nextProbeAt', () => {
  it.each([
    [0, 1],
    [1, 2],
    [2, 4],
    [5, 32],
    [6, 60],
    [5000, 60],
  ])('waits longer after each probe: after %i, %i minutes', (probes, minutes) => {
    const probedAt = probes === 0 ? null : at(100)
    const quarantinedAt = probes === 0 ? at(100) : at(0)
    expect(nextProbeAt({ quarantinedAt, probedAt, probes })).toEqual(at(100 + minutes))
  })

  it('counts from a new quarantine after a probe that passed', () => {
    expect(nextProbeAt({ quarantinedAt: at(50), probedAt: at(10), probes: 3 })).toEqual(at(58))
  })
})
