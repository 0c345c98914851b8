import { describe, expect, it } from 'vitest'
import { describeUnavailable, type Unavailable } from './unavailable-reasons'

const gpu = (changes: Partial<Unavailable> = {}): Unavailable => ({
  id: 'g',
  node: 'lab-a',
  gpu: 1,
  state: 'paused',
  since: new Date('2026-11-20T08:30:59Z'),
  explanation: 'new fan',
  ...changes,
})
const node = (changes: Partial<Unavailable> = {}) => gpu({ gpu: null, ...changes })

describe('a closed node or blocked GPU is described', () => {
  it('a closed node or blocked GPU is described with who closed it, when and why, in one sentence', () => {
    expect(describeUnavailable([gpu()])).toBe(
      'An admin paused GPU 1 of lab-a on 2026-11-20 at 08:30 UTC: new fan.',
    )
    expect(describeUnavailable([node({ explanation: 'Is it broken?' })])).toBe(
      'An admin paused lab-a on 2026-11-20 at 08:30 UTC: Is it broken?',
    )
    expect(describeUnavailable([node({ explanation: null })])).toBe(
      'An admin paused lab-a on 2026-11-20 at 08:30 UTC.',
    )
    expect(describeUnavailable([node({ state: 'quarantined', explanation: 'Jobs failed here.' })])).toBe(
      'lab-a was quarantined on 2026-11-20 at 08:30 UTC: Jobs failed here.',
    )
    expect(describeUnavailable([])).toBeNull()
  })

  it('together with others of the same reason, since the first of them', () => {
    const later = { since: new Date('2026-11-21T00:00:00Z') }
    const held = [
      gpu(later),
      gpu({ gpu: 3 }),
      gpu({ node: 'lab-b', gpu: 0 }),
      gpu({ gpu: 2, explanation: 'hot' }),
    ]
    expect(describeUnavailable(held)).toBe(
      'An admin paused GPUs 1, 3 of lab-a and GPU 0 of lab-b on 2026-11-20 at 08:30 UTC: new fan. ' +
        'An admin paused GPU 2 of lab-a on 2026-11-20 at 08:30 UTC: hot.',
    )
  })

  it('a closed node or blocked GPU is described in a few sentences, however many there are', () => {
    const nodes = Array.from({ length: 50 }, (_, i) => node({ node: `lab-${i}`, explanation: 'power' }))
    expect(describeUnavailable(nodes)).toContain('An admin paused lab-0, lab-1, lab-2 and 47 more on')
    const all = Array.from({ length: 50 }, (_, i) => gpu({ gpu: i, explanation: `${i}`.padEnd(2_000, '.') }))
    const said = describeUnavailable(all)
    expect(said).toMatch(/\.\.… 47 more reasons are on the cluster page\.$/)
    expect(said?.length).toBeLessThan(1_200)
  })

  it('a closed node or blocked GPU is described without figures that change by themselves', () => {
    const outside = (explanation: string) => gpu({ state: 'outside', since: null, explanation })
    expect(describeUnavailable([outside('Other processes use it: 70 of 80 GiB of memory, 95 % load.')])).toBe(
      'GPU 1 of lab-a: Other processes use it.',
    )
    expect(describeUnavailable([outside('nvidia-smi failed: it hangs.')])).toBe(
      'GPU 1 of lab-a: nvidia-smi failed: it hangs.',
    )
  })
})
