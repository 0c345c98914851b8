import { expect, it } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { currentPlacement } from './current-placement'

const gpu = { uuid: 'GPU-a', index: 0, milli: 1000, model: 'NVIDIA H100', simulated: false }
const got = [{ rank: 0, node: 'lab-1', gpus: [], cpu_milli: 1000, memory_mib: 1024 }]
const job = { node_name: 'lab-1', gpus: [gpu], resources: { got } }
const shown = (more: Pick<JobDetail, 'status' | 'placed'>) => {
  const { node_name, gpus, resources } = currentPlacement({ ...job, ...more } as unknown as JobDetail)
  return [node_name, gpus, resources.got]
}

it('hides the placement of a job that waits again, and keeps every other', () => {
  expect(shown({ status: 'pending', placed: false })).toEqual([null, [], []])
  for (const status of ['running', 'completed', 'failed', 'cancelled'] as const)
    expect(shown({ status, placed: false })).toEqual(['lab-1', [gpu], got])
  expect(shown({ status: 'pending', placed: true })).toEqual(['lab-1', [gpu], got])
})
