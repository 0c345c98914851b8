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

  it('is ready while nothing speaks against it', () => {
    expect(nodeState(node)).toEqual({ state: 'ready', reason: null })
  })

  it('is lost as soon as its lease has run out, before the leader says so', () => {
    expect(stateOf({ leaseHeld: false })).toBe('lost')
    expect(stateOf({ status: 'lost' })).toBe('lost')
    expect(stateOf({ status: 'drained', leaseHeld: false })).toBe('drained')
  })

  it('sends nobody to start a worker on a machine that is only simulated', () => {
    const reasonOf = (simulated: boolean) => nodeState({ ...node, status: 'drained', simulated }).reason
    expect([reasonOf(false), reasonOf(true)]).toEqual([
      expect.stringContaining('Start one there'),
      expect.not.stringContaining('Start one'),
    ])
  })

  it('shows what no admin can end before what one can, and that before what ends by itself', () => {
    expect(stateOf({ leaseHeld: false, paused: true })).toBe('lost')
    expect(stateOf({ quarantined: true, paused: true })).toBe('quarantined')
    expect(stateOf({ status: 'draining', paused: true })).toBe('paused')
    expect(stateOf({ status: 'draining' })).toBe('draining')
  })

  it('is explained in one sentence, however the reason was written', () => {
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

  it('says how much of it is given out', () => {
    expect([0, 1, 999, 1000].map((allocatedMilli) => stateOf({ allocatedMilli }))).toEqual([
      'free',
      'shared',
      'shared',
      'full',
    ])
  })

  it('says why it is not given out, whatever runs on it', () => {
    const full = { allocatedMilli: 1000 }
    expect(stateOf({ ...full, busyReason: 'Its fan is broken.' })).toBe('outside')
    expect(stateOf({ ...full, busyReason: 'x', paused: true })).toBe('paused')
    expect(stateOf({ ...full, busyReason: 'x', paused: true, missing: true })).toBe('missing')
    expect(gpuState({ ...gpu, busyReason: 'Its fan is broken.' }, 'ready').reason).toBe('Its fan is broken.')
  })

  it('is free only where its node takes jobs', () => {
    const onPaused = (facts: Partial<GpuFacts>) => gpuState({ ...gpu, ...facts }, 'paused').state
    expect([onPaused({}), onPaused({ allocatedMilli: 500 }), onPaused({ missing: true })]).toEqual([
      'closed',
      'shared',
      'missing',
    ])
  })
})
