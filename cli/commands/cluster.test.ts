import { expect, it } from 'vitest'
import { fakeContext, jobId } from '../testing/fake-context'
import { queue } from './cluster'

const waiting = {
  job_id: jobId,
  run_id: null,
  name: 'over two nodes',
  user: 'ada',
  user_name: null,
  project_id: 'p1',
  command: 'true',
  status: 'queued',
  gpu_count: 8,
  gpu_fraction: null,
  gpu_memory_gb: null,
  gpu_model: null,
  instance_count: 2,
  priority: 0,
  position: 1,
  expected_start: null,
  expected_start_range: null,
  expected_start_text: null,
  reason: 'gang_waiting',
  reason_detail: 'It needs 2 nodes at once; 1 is free.',
  reason_text: 'Not enough of them are free. It needs 2 nodes at once; 1 is free.',
  submitted_at: '2026-01-01T00:00:00Z',
  started_at: null,
  estimated_duration_seconds: 60,
  node: null,
  gpus: [],
}

it('lists the GPUs of all nodes of a job, and the reason why a job waits', async () => {
  const context = fakeContext(() =>
    Response.json({ queued: [waiting], running: [], queued_total: 1, running_total: 0, max_queue_size: 100 }),
  )
  await queue(context, {})
  expect(context.written.out).toMatch(/ 16 .*1 is free\.\n$/)
})

it('shows the priority of a line of a jobs file as it was typed, and says what the star means', async () => {
  const line = {
    ...waiting,
    gpu_count: 1,
    instance_count: 1,
    priority: -3,
    line_priority: 3,
    reason_text: null,
  }
  const answer = { running: [], running_total: 0, max_queue_size: 100 }
  const context = fakeContext(() =>
    Response.json({ ...answer, queued: [line, { ...waiting, priority: 7 }], queued_total: 2 }),
  )
  await queue(context, {})
  const { out } = context.written
  expect(out).toMatch(/ 3\* /)
  expect(out).toMatch(/ 7 {2,}/)
  expect(out).toContain('* as in a jobs file: lower numbers start first.')

  const without = fakeContext(() => Response.json({ ...answer, queued: [waiting], queued_total: 1 }))
  await queue(without, {})
  expect(without.written.out).not.toContain('*')
})
