import { describe, expect, it } from 'vitest'
import { type GpuFacts, gpuState, type NodeFacts, nodeState } from './cluster-states'

const node: NodeFacts = {
  status: 'ready',
  leaseHeld: true,
  simulated: false,
  paused: false,
  pauseReason: null,
  quarantined: false,
  quarantineReason: null,
  probe: null,
}
const gpu: GpuFacts = {
  missing: false,
  paused: false,
  pauseReason: null,
  busyReason: null,
  allocatedMilli: 0,
}

describe('the state of a node', () => {
  const stateOf = (facts: Partial<NodeFacts>) => nodeState({ ...node, ...facts }).state

  it('is ready by default', () => {
    expect(nodeState(node)).toEqual({ state: 'ready', reason: null })
  })

  it('is lost as soon as its lease expires, before the leader marks it', () => {
    expect(stateOf({ leaseHeld: false })).toBe('lost')
    expect(stateOf({ status: 'lost' })).toBe('lost')
    expect(stateOf({ status: 'drained', leaseHeld: false })).toBe('drained')
  })

  it('does not suggest to start a worker on a simulated machine', () => {
    const reasonOf = (simulated: boolean) => nodeState({ ...node, status: 'drained', simulated }).reason
    expect([reasonOf(false), reasonOf(true)]).toEqual([
      expect.stringContaining('start a worker on it'),
      expect.not.stringContaining('start a worker'),
    ])
  })

  it('prefers states that no admin can end, then those that an admin can end, then temporary ones', () => {
    expect(stateOf({ leaseHeld: false, paused: true })).toBe('lost')
    expect(stateOf({ quarantined: true, paused: true })).toBe('quarantined')
    expect(stateOf({ status: 'draining', paused: true })).toBe('paused')
    expect(stateOf({ status: 'draining' })).toBe('draining')
  })

  it('has a reason of one sentence, however the stored text ends', () => {
    expect(nodeState({ ...node, paused: true }).reason).toBe('An admin paused it.')
    expect(nodeState({ ...node, paused: true, pauseReason: 'new disks' }).reason).toBe(
      'An admin paused it: new disks.',
    )
    expect(nodeState({ ...node, quarantined: true, quarantineReason: 'The image is gone.' }).reason).toBe(
      'The image is gone.',
    )
  })
})

describe('the state of a GPU', () => {
  const stateOf = (facts: Partial<GpuFacts>) => gpuState({ ...gpu, ...facts }, 'ready').state

  it('shows how much is allocated', () => {
    expect([0, 1, 999, 1000].map((allocatedMilli) => stateOf({ allocatedMilli }))).toEqual([
      'free',
      'shared',
      'shared',
      'full',
    ])
  })

  it('shows why it is blocked, whatever runs on it', () => {
    const full = { allocatedMilli: 1000 }
    expect(stateOf({ ...full, busyReason: 'Its fan is broken.' })).toBe('outside')
    expect(stateOf({ ...full, busyReason: 'x', paused: true })).toBe('paused')
    expect(stateOf({ ...full, busyReason: 'x', paused: true, missing: true })).toBe('missing')
    expect(gpuState({ ...gpu, busyReason: 'Its fan is broken.' }, 'ready').reason).toBe('Its fan is broken.')
  })

  it('is free only if its node accepts jobs', () => {
    const onPaused = (facts: Partial<GpuFacts>) => gpuState({ ...gpu, ...facts }, 'paused').state
    expect([onPaused({}), onPaused({ allocatedMilli: 500 }), onPaused({ missing: true })]).toEqual([
      'closed',
      'shared',
      'missing',
    ])
  })
})
