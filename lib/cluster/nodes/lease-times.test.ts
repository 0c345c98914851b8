import { expect, it } from 'vitest'
import { parseEnv } from '../../env'
import { leaseTimes } from './lease-times'

const timesOf = (variables: Record<string, string>) =>
  leaseTimes(parseEnv({ NODE_ENV: 'test', ...variables }).GPUQ_NODE_LEASE_S)

it('renews every 5 s, fences after 20 s and loses the node after 30 s by default', () => {
  expect(timesOf({})).toEqual({ leaseSeconds: 30, renewEveryMs: 5_000, selfFenceAfterMs: 20_000 })
})

it('gives the worker of the shortest lease time for a last try before the node is lost', () => {
  expect(() => timesOf({ GPUQ_NODE_LEASE_S: '8' })).toThrow('GPUQ_NODE_LEASE_S')
  const { leaseSeconds, selfFenceAfterMs } = timesOf({ GPUQ_NODE_LEASE_S: '9' })
  expect(leaseSeconds * 1_000 - selfFenceAfterMs).toBeGreaterThan(2_000)
})
