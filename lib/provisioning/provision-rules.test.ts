import { describe, expect, it } from 'vitest'
import { nextProvisionStep, type ProvisionFacts } from './provision-rules'

const facts: ProvisionFacts = {
  status: 'up',
  jobStatus: 'pending',
  attempt: 0,
  round: 1,
  nodes: 0,
  wanted: 2,
  overdue: false,
  busy: false,
  isFromThisTerm: true,
}
const step = (changes: Partial<ProvisionFacts>) => nextProvisionStep({ ...facts, ...changes })

describe('nodes provisioned for one job', () => {
  it('are awaited until the deadline', () => {
    expect(step({ status: 'starting', busy: true })).toBe('wait')
    expect(step({ status: 'starting', busy: true, overdue: true })).toBe('give_up')
    expect(step({ nodes: 1 })).toBe('wait')
    expect(step({ nodes: 1, overdue: true })).toBe('give_up')
    expect(step({ nodes: 2, overdue: true })).toBe('wait')
  })

  it('stay while the job uses them', () => {
    for (const jobStatus of ['scheduled', 'running'] as const) {
      expect(step({ jobStatus, attempt: 1, nodes: 2 })).toBe('wait')
      expect(step({ jobStatus, attempt: 1, nodes: 1, overdue: true })).toBe('wait')
    }
  })

  it('are provisioned again if some were lost and the job needs them again', () => {
    expect(step({ attempt: 1, nodes: 1, overdue: true })).toBe('again')
    expect(step({ attempt: 1, nodes: 2 })).toBe('wait')
    expect(step({ attempt: 1, round: 2, nodes: 1 })).toBe('wait')
    expect(step({ attempt: 1, round: 2, nodes: 1, overdue: true })).toBe('give_up')
  })

  it('are removed with the job, whatever is in progress', () => {
    for (const jobStatus of ['completed', 'failed', 'cancelled', null] as const) {
      expect(step({ jobStatus, status: 'starting', busy: true })).toBe('end')
      expect(step({ jobStatus, status: 'up', nodes: 2 })).toBe('end')
      expect(step({ jobStatus, status: 'ending' })).toBe('take_down')
      expect(step({ jobStatus, status: 'ending', busy: true })).toBe('wait')
      expect(step({ jobStatus, status: 'ended' })).toBe('wait')
    }
  })

  it('are removed if the effect of an interrupted command is unknown', () => {
    expect(step({ status: 'starting', isFromThisTerm: false })).toBe('end')
    expect(step({ status: 'ending', isFromThisTerm: false })).toBe('take_down')
    expect(step({ status: 'up', isFromThisTerm: false, nodes: 2 })).toBe('wait')
  })

  it('stay if they exist, however the command ended', () => {
    expect(step({ status: 'starting', isFromThisTerm: false, nodes: 2 })).toBe('settle')
    expect(step({ status: 'starting', isFromThisTerm: false, jobStatus: 'running', overdue: true })).toBe(
      'settle',
    )
    expect(step({ status: 'starting', busy: true, jobStatus: 'running', overdue: true })).toBe('wait')
  })
})
