import { expect, it } from 'vitest'
import { makeLimits } from '../../testing/fixtures'
import { describeLimits } from './own-limits'

it('describes the limits that are set, and no others', () => {
  expect(describeLimits(makeLimits())).toEqual([])
  expect(
    describeLimits(makeLimits({ max_priority: 0, pools: ['on-demand', 'best-effort'], max_cpu: 8 })),
  ).toEqual(['highest priority 0', 'pools on-demand, best-effort', 'CPU cores without a GPU 8'])
})
